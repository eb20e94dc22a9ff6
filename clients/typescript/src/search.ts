import type { Client } from './client.js';
import { persistently, type RetryOptions } from './retry.js';
import type { ObjectType, Objects, Parts, Schemas, SearchQuery } from './types.js';

/** What a query asks for: whole objects, or parts of them with `fields`. */
type Found<T extends ObjectType, Q> = Q extends { fields: readonly unknown[] }
  ? Parts[T]
  : Objects[T];

/** A page of a search. */
export interface Page<Item> {
  /** The IDs of what was found. */
  readonly matches: readonly string[];
  /** The same as objects, in the same order. */
  readonly objects: readonly Item[];
  /** Summaries of what they refer to, with `include`. */
  readonly included: Schemas['Included'];
  /** How many there are in all: 10,000 at most where `totalIsExact` is false; null with `count: 'none'`. */
  readonly total: number | null;
  readonly totalIsExact: boolean;
}

/**
 * All pages of a search, one after the other, each asked for when the one before is used up. What is created or deleted
 * meanwhile neither repeats nor skips a record.
 *
 * @param query with `limit` as the size of a page
 * @throws Failure
 */
export async function* pages<T extends ObjectType, Q extends SearchQuery<T>>(
  client: Client,
  type: T,
  query: Q,
  retry: RetryOptions = {},
): AsyncGenerator<Page<Found<T, Q>>, void, undefined> {
  let cursor: string | null = null;
  do {
    const asked: object = { ...query, expand: true, ...(cursor === null ? {} : { cursor }) };
    const { matches, response } = await persistently(
      () =>
        client.answerTo(
          client.http.GET(`/api/v0/search/${type}` as '/api/v0/search/encounter', {
            params: { query: asked },
            signal: retry.signal,
          }),
        ),
      retry,
    );
    yield {
      matches,
      objects: (response.objects ?? []) as unknown as readonly Found<T, Q>[],
      included: response.included ?? {},
      total: response.total ?? null,
      totalIsExact: response.total_is_exact ?? false,
    };
    cursor = response.next;
  } while (cursor !== null);
}

/**
 * All objects that a search finds: `for await (const encounter of each(client, 'encounter', { sex: ['female'] }))`.
 *
 * @throws Failure
 */
export async function* each<T extends ObjectType, Q extends SearchQuery<T>>(
  client: Client,
  type: T,
  query: Q,
  retry: RetryOptions = {},
): AsyncGenerator<Found<T, Q>, void, undefined> {
  for await (const page of pages<T, Q>(client, type, query, retry)) yield* page.objects;
}

/** The history of an object, the newest entry first. @throws Failure */
export async function* historyOf(
  client: Client,
  type: ObjectType,
  id: string,
  retry: RetryOptions = {},
): AsyncGenerator<Schemas['HistoryEntry'], void, undefined> {
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor };
    const { response } = await persistently(
      () =>
        client.answerTo(
          client.http.GET(`/api/v0/${type}/{id}/history` as '/api/v0/encounter/{id}/history', {
            params: { path: { id }, query },
            signal: retry.signal,
          }),
        ),
      retry,
    );
    yield* response.history;
    cursor = response.next;
  } while (cursor !== null);
}
