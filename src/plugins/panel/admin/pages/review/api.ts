/** The calls of the page: those of /api/v0, by the panel's own door (`server/api`). */
import { getFetchClient } from '@strapi/strapi/admin';
import { get, type Query } from '../../parts/interface';
import type {
  Asset,
  Encounter,
  FoundRecords,
  Individual,
  PastChange,
  SiteNote,
  Taxon,
} from './types';

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

/** Those of the site. */
export const readNotes = async (): Promise<readonly SiteNote[]> =>
  (await get<{ readonly review_notes: readonly SiteNote[] }>('site_settings')).review_notes;

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
