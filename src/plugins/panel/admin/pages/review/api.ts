/** The calls of the page: those of /api/v0, by the panel's own door (`server/api`). */
import { getFetchClient, isFetchError, triggerSessionExpired } from '@strapi/strapi/admin';
import { postKeptAlive } from '../../seams/kept-alive';
import type { BatchOperation } from './steps';
import type { Asset, Encounter, FoundRecords, PastChange, Individual, Taxon } from './types';

type Query = Readonly<Record<string, string | number | boolean>>;

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

async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
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

const search = <T>(type: string, query: Query, signal?: AbortSignal): Promise<FoundRecords<T>> =>
  get(`search/${type}`, { ...query, expand: true }, signal);

const INCLUDED = 'taxonomy,individual,owner';

/** What a page of the queue has; further ones follow as it is worked off. */
const PAGE = 50;

export interface QueueFilter {
  readonly q: string;
  readonly owner: string;
  readonly taxon: string;
}

export const findWaiting = (
  filter: QueueFilter,
  cursor: string | null,
): Promise<FoundRecords<Encounter>> =>
  search('encounter', {
    ...{ state: 'pending', sort: 'created_at', include: INCLUDED, limit: PAGE },
    ...(filter.q === '' ? {} : { q: filter.q }),
    ...(filter.owner === '' ? {} : { owner: filter.owner }),
    ...(filter.taxon === '' ? {} : { taxonomy_under: filter.taxon }),
    ...(cursor === null ? {} : { cursor }),
  });

/** Encounters by their IDs, whatever their state. */
export const encountersById = (ids: readonly string[]): Promise<FoundRecords<Encounter>> =>
  search('encounter', { id: ids.join(), include: INCLUDED });

export const findEncounters = (
  query: Query,
  signal?: AbortSignal,
): Promise<FoundRecords<Encounter>> => search('encounter', { ...query, include: INCLUDED }, signal);

export const countEncounters = async (query: Query, signal?: AbortSignal): Promise<number> =>
  (await get<FoundRecords<Encounter>>('search/encounter', { ...query, limit: 0 }, signal)).total ??
  0;

export const findAssets = async (query: Query, signal?: AbortSignal): Promise<readonly Asset[]> =>
  (await search<Asset>('asset', query, signal)).objects;

/** Taxa by scientific and vernacular names. */
export const findTaxa = async (q: string, signal: AbortSignal): Promise<readonly Taxon[]> =>
  (await search<Taxon>('taxonomy', { q, limit: 12 }, signal)).objects;

export const findIndividuals = async (
  query: Query,
  signal: AbortSignal,
): Promise<readonly Individual[]> =>
  (await search<Individual>('individual', { ...query, limit: 12 }, signal)).objects;

export const readPast = async (id: string, signal: AbortSignal): Promise<readonly PastChange[]> =>
  (
    await get<{ readonly history: readonly PastChange[] }>(
      `encounter/${id}/history`,
      { limit: 10 },
      signal,
    )
  ).history;

export const readSite = (): Promise<Readonly<Record<string, unknown>>> => get('site_settings');

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

/** The IDs of those that wait for a second look. */
export const findMarked = async (): Promise<readonly string[]> =>
  (await getFetchClient().get<{ readonly data: readonly string[] }>('/panel/second-looks')).data
    .data;

export async function mark(id: string, isMarked: boolean): Promise<void> {
  const client = getFetchClient();
  const path = `/panel/second-looks/${id}`;
  await (isMarked ? client.put(path) : client.del(path));
}

/** The bytes of a rendition. */
export const readPicture = async (id: string, size: string): Promise<Blob> =>
  (
    await getFetchClient().get<Blob>(`/panel/api/asset/${id}/file?size=${size}`, {
      responseType: 'blob',
    })
  ).data;
