/** The calls of the page: `server/home`, and those of /api/v0. */
import { getFetchClient } from '@strapi/strapi/admin';
import type {
  ChangedLately,
  InstallationNow,
  TestMailAnswer,
  WaitingNow,
} from '../../../shared/home';
import { get, sendBatch } from '../../parts/interface';

const ask = async <T>(path: string): Promise<T> =>
  (await getFetchClient().get<{ readonly data: T }>(`/panel/home/${path}`)).data.data;

export const readWaiting = (): Promise<WaitingNow> => ask('waiting');

/** @param since milliseconds since 1970 */
export const readChanges = (since: number): Promise<ChangedLately> => ask(`changes?since=${since}`);

export const readInstallation = (): Promise<InstallationNow> => ask('installation');

export const askForTestMail = async (): Promise<TestMailAnswer> =>
  (await getFetchClient().post<{ readonly data: TestMailAnswer }>('/panel/home/test-mail')).data
    .data;

interface Found {
  readonly total?: number;
  readonly total_is_exact?: boolean;
  readonly objects: readonly { readonly created_at: string }[];
}

/** When the report that waits longest came in; null where none waits. */
export async function oldestWaiting(): Promise<string | null> {
  const query = { state: 'pending', sort: 'created_at', limit: 1, expand: true };
  const { objects } = await get<Found>('search/encounter', query);
  return objects[0]?.created_at ?? null;
}

export interface ReportCount {
  readonly count: number;
  readonly isExact: boolean;
}

/** Reports without an account since a time. Imports have no owner either, but a source. */
export async function countAnonymous(since: Date): Promise<ReportCount> {
  const of = { owner: 'null', source: 'null', created_at_min: since.toISOString() };
  const query = { ...of, limit: 0 };
  const { total = 0, total_is_exact: isExact = true } = await get<Found>('search/encounter', query);
  return { count: total, isExact };
}

/** Somebody who has reached a limit of the service. */
export interface LimitMet {
  readonly id: string;
  /** The name of the limit. */
  readonly object: string;
  readonly at: string;
  readonly actor: { readonly id: string | null; readonly name: string | null };
  readonly changes: readonly { readonly path: string; readonly after?: unknown }[];
}

/** The last ones. */
export const limitsMet = async (): Promise<readonly LimitMet[]> =>
  (
    await get<{ readonly history: readonly LimitMet[] }>('search/history', {
      type: 'limit',
      limit: 10,
    })
  ).history;

/** Of these accounts, those that are blocked. */
export async function blockedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const query = { id: ids.join(), blocked: true, expand: true };
  const { objects } = await get<{ readonly objects: readonly { readonly id: string }[] }>(
    'search/user',
    query,
  );
  return new Set(objects.map(({ id }) => id));
}

export async function block(id: string): Promise<void> {
  await sendBatch([{ op: 'update', type: 'user', id, body: { blocked: true } }]);
}
