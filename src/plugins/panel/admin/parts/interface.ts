/** Calls of /api/v0 by the panel's own door (`server/api`). */
import { getFetchClient, isFetchError, triggerSessionExpired } from '@strapi/strapi/admin';
import { postKeptAlive } from '../seams/kept-alive';

export type Query = Readonly<Record<string, string | number | boolean>>;

/** A refusal of the interface, or no answer at all. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly key: string,
    readonly args: Readonly<Record<string, unknown>> = {},
  ) {
    super(key);
  }
}

interface Envelope<T> {
  readonly success: boolean;
  readonly response: T;
  readonly message?: { readonly key: string; readonly args: Readonly<Record<string, unknown>> };
}

/** No status of HTTP: nothing answered. */
const NO_ANSWER = 0;

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  // The client gives other refusals without their body, and renews a session that is too old.
  const options = {
    validateStatus: (status: number) => status !== 401,
    ...(signal ? { signal } : {}),
  };
  const { data } = await getFetchClient()
    .get<Envelope<T>>(`/panel/api/${path}?${search}`, options)
    .catch((error: unknown) => {
      if (isFetchError(error) && error.status === 401) triggerSessionExpired();
      throw error;
    });
  if (data.success) return data.response;
  throw new Refused(400, data.message?.key ?? '', data.message?.args);
}

/** An operation of `POST /api/v0/batch`. */
export interface BatchOperation {
  readonly op: 'create' | 'update' | 'delete' | 'review';
  readonly type: 'encounter' | 'individual' | 'user';
  readonly id?: string;
  readonly if_match?: string;
  readonly body?: object;
}

interface Results {
  readonly results?: readonly {
    readonly status: number;
    readonly response: { readonly version?: number };
    readonly message?: { readonly key: string; readonly args: Readonly<Record<string, unknown>> };
  }[];
}

/**
 * Carries operations out, all or none.
 *
 * @returns the versions that they answered, in their order
 * @throws Refused the first refusal of an operation
 */
export async function sendBatch(operations: readonly BatchOperation[]): Promise<readonly number[]> {
  let answer: Envelope<Results>;
  try {
    const sent = await postKeptAlive('/panel/api/batch', { operations, atomic: true });
    answer = (await sent.json()) as Envelope<Results>;
  } catch {
    throw new Refused(NO_ANSWER, 'panel.reviews.noAnswer');
  }
  const results = answer.response.results ?? [];
  if (answer.success) return results.map(({ response }) => response.version ?? 0);
  const refused = results.find(({ status }) => status >= 400);
  const { status = 400, message = answer.message } = refused ?? {};
  throw new Refused(status, message?.key ?? '', message?.args);
}
