/** Searches the objects of a type, as far as the caller may see them. */
import type { Caller } from '../../../../core/caller';
import { ApiError, fail } from '../../../../core/errors';
import type { Database } from '../database/database';
import { bind, raw, sql, type Sql, type Statement } from '../database/sql';
import type { Row } from '../database/work';
import type { CallerModel, Model } from '../model';
import { cutTo, readObjects, readParts } from '../read/reader';
import { readIncluded, type Included } from '../read/include';
import { callerArgs, kindOf } from '../rights/access';
import { switchKey } from '../rights/switches';
import type { Body, Matches, PagesOptions } from '../types';
import type { PlaceCursors } from './cursor';
import { EXPORT_LIST, EXPORT_PAGE, EXPORT_SORTED, FEW, MAX_SORTED, MAX_TOTAL } from './limits';
import { isInKeyOrder } from './key-order';
import { pageOf, type Page, type Place } from './order';
import { readQuery, type SearchQuery } from './query';
import { isIndexed, proofOf } from './selective';
import { sourceOf, type Way } from './source';
import { waysOf, withSpans, type Ways } from './ways';

/** @throws ApiError LOGIN_REQUIRED or what else refuses the read, MALFORMED with the parameters that are wrong */
export async function search(
  model: Model,
  cursors: PlaceCursors,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
): Promise<Matches> {
  const { resource } = model.type(type);
  const compiled = readerOf(model, type, caller);
  const boundTo = binding(model, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, (cursor, bound) =>
    cursors.decode(cursor, boundTo(bound)),
  );
  const source = sourceOf(model, type, compiled);
  const asked = { each: query.conditions, spans: withSpans(query.conditions) };
  const proof = await proofOf(source, asked.spans, runBesideReads(model, caller));
  const run = proof ? runBesideReads(model, caller) : runApart(model, caller);
  const ways = await waysOf(source, asked, proof, run);
  const { ids, next, ...total } = await (proof && query.after === null
    ? firstPage(query, ways.all, run)
    : countedPage(query, ways, run));
  const found = query.expand ? await expanded(model, type, ids, query, caller) : {};
  return {
    ids,
    ...total,
    limit: query.limit,
    next: next && cursors.encode(next, boundTo(query.bound)),
    ...found,
  };
}

export type Run = (statement: Sql) => Promise<readonly Row[]>;

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

/** Runs statements of a search that look at few rows. */
const runBesideReads = ({ database }: Model, caller: Caller): Run =>
  runWith(database, caller, (statement) => database.read(statement));

/** Runs statements that may take long, as long as the client waits for them. */
export function runApart({ database }: Model, caller: Caller): Run {
  const turn = { origin: caller.id ?? caller.network ?? '', signal: caller.untilGone() };
  return runWith(database, caller, (statement) => caller.wait(database.readApart(statement, turn)));
}

/** @throws ApiError SEARCH_TOO_SLOW for a statement that was ended */
const runWith =
  (
    database: Database,
    caller: Caller,
    run: (statement: Statement) => readonly Row[] | Promise<readonly Row[]>,
  ): Run =>
  async (statement) => {
    try {
      return await run({ ...bind(statement, callerArgs(caller, Date.now())), isAdHoc: true });
    } catch (error) {
      if (!database.wasEnded(error)) throw error;
      throw fail('SEARCH_TOO_SLOW', {}, { 'Retry-After': RETRY_AFTER });
    }
  };

/** What is compiled for a caller who may read some objects of a type. @throws ApiError for any other one */
export function readerOf(model: Model, type: string, caller: Caller): CallerModel {
  const compiled = model.type(type).for(caller);
  const { access } = compiled;
  if (access.extent('read').length === 0) throw new ApiError(access.refusal('read'));
  return compiled;
}

/** All that is found, in pages: these fields, as a read gives them. The next page is read while one is looked at. */
export async function* searchPages(
  ...query: Parameters<typeof pagesOf>
): AsyncGenerator<readonly Body[], void> {
  const pages = pagesOf(...query);
  const read = (): ReturnType<typeof pages.next> => {
    const page = pages.next();
    // It may fail before it is awaited.
    page.catch(() => undefined);
    return page;
  };
  try {
    for (let next = read(); ;) {
      const page = await next;
      if (page.done) return;
      next = read();
      yield page.value;
    }
  } finally {
    await pages.return();
  }
}

async function* pagesOf(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  { fields, invalid }: PagesOptions,
): AsyncGenerator<readonly Body[], void> {
  const { resource, ...known } = model.type(type);
  readerOf(model, type, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, () => null, invalid);
  const run = runApart(model, caller);
  const asked = { each: query.conditions, spans: withSpans(query.conditions) };
  let isBroad: boolean | null = null;
  let after: Place | null = null;
  do {
    // Anew for each list: settings and rights may change meanwhile.
    const source = sourceOf(model, type, known.for(caller));
    const ways = await waysOf(source, asked, null, run);
    const hasIndex = asked.spans.some((one) => one.by === 'words' || isIndexed(source, one));
    isBroad ??= !hasIndex || (await countUpTo(EXPORT_SORTED, ways.all, run)) > EXPORT_SORTED;
    const limit = isBroad ? EXPORT_PAGE : EXPORT_LIST;
    const list: Found = await pageAt({ ...query, after, limit }, ways, isBroad, run);
    for (let at = 0; at < list.ids.length; at += EXPORT_PAGE) {
      const ids = list.ids.slice(at, at + EXPORT_PAGE);
      const parts = await readParts(model, type, ids, caller, fields);
      yield ids.flatMap((id): Body[] => {
        const found = parts.get(id);
        return found ? [found] : [];
      });
    }
    after = list.next;
  } while (after);
}

/** What a cursor is good for: this query, of this caller, while it may see the same. */
function binding(model: Model, caller: Caller): (query: string) => string {
  const site = model.site();
  const { role, claims } = kindOf(caller);
  const sees = [caller.id, role, claims, switchKey(site), site.defaultLocationPrivacy];
  return (query) => JSON.stringify([query, ...sees]);
}

/** A page of what is found. */
interface Found {
  readonly ids: readonly string[];
  readonly next: Place | null;
}

/** A page, and what is said of the number of all. */
interface CountedPage extends Found, Pick<Matches, 'total' | 'isTotalExact'> {}

/** A first page out of few rows: they are all listed, and so counted. */
async function firstPage(
  query: SearchQuery,
  { source, where }: Way,
  run: Run,
): Promise<CountedPage> {
  const { sort, limit, offset } = query;
  const page = pageOf(source, where, sort, null, [FEW, 0], false);
  const rows = await run(page.sql);
  const total = query.count === 'none' ? {} : { total: rows.length, isTotalExact: true };
  return { ...pageIn(page, rows.slice(offset), limit), ...total };
}

async function countedPage(query: SearchQuery, ways: Ways, run: Run): Promise<CountedPage> {
  const { isBroad, ...total } = await count(query, ways.all, run);
  return { ...(await pageAt(query, ways, isBroad, run)), ...total };
}

/** @param rows from the first of the page on; if there are more than `limit`, another page follows */
function pageIn(page: Page, rows: readonly Row[], limit: number): Found {
  const places = rows.slice(0, limit).map(page.place);
  return {
    ids: places.map(({ id }) => id),
    next: rows.length > limit ? (places.at(-1) ?? null) : null,
  };
}

/** @param isBroad whether there are many: they are met in their order, and not collected and sorted */
async function pageAt(
  { sort, limit, offset, after }: SearchQuery,
  { all, walk, stream }: Ways,
  isBroad: boolean,
  run: Run,
): Promise<Found> {
  if (limit === 0) return { ids: [], next: null };
  const cut = [limit + 1, offset] as const;
  const page =
    isBroad && stream && isInKeyOrder(stream.source, sort)
      ? pageOf(stream.source, stream.where, sort, after, cut, true, stream.streamed.key)
      : isBroad
        ? pageOf(walk.source, walk.where, sort, after, cut, true)
        : pageOf(all.source, all.where, sort, after, cut, false);
  return pageIn(page, await run(page.sql), limit);
}

interface Counted extends Pick<Matches, 'total' | 'isTotalExact'> {
  readonly isBroad: boolean;
}

/** @param most from which on one more stands for all; null to count all */
async function countUpTo(most: number | null, { source, where }: Way, run: Run): Promise<number> {
  const limit = raw(most === null ? '' : ` limit ${most + 1}`);
  const [counted] = await run(
    sql`select cast(count(*) as integer) from (select 1 from ${source.from(where)} where ${where}${limit}) t`,
  );
  return Number(counted?.[0] ?? 0);
}

/** Counts, and finds out whether there are many. */
async function count(query: SearchQuery, way: Way, run: Run): Promise<Counted> {
  const upTo = (most: number | null): Promise<number> => countUpTo(most, way, run);
  const isPlain = query.conditions.length === 0;
  if (query.count === 'none')
    return { isBroad: isPlain || query.limit === 0 || (await upTo(MAX_SORTED)) > MAX_SORTED };
  if (query.count === 'exact') {
    const total = await upTo(null);
    return { total, isTotalExact: true, isBroad: total > MAX_SORTED };
  }
  const total = await upTo(MAX_TOTAL);
  return {
    total: Math.min(total, MAX_TOTAL),
    isTotalExact: total <= MAX_TOTAL,
    isBroad: isPlain || total > MAX_SORTED,
  };
}

/** The objects that were found, in their order. One that has gone meanwhile is not found. */
async function expanded(
  model: Model,
  type: string,
  ids: readonly string[],
  { include, fields }: SearchQuery,
  caller: Caller,
): Promise<{ ids: readonly string[]; objects: readonly string[]; included?: Included }> {
  const texts = await readObjects(model, type, ids, caller);
  const there = ids.filter((id) => texts.has(id));
  const whole = there.map((id) => texts.get(id) ?? '');
  if (!include && !fields) return { ids: there, objects: whole };
  const bodies = whole.map((text) => JSON.parse(text) as Body);
  const objects = fields ? bodies.map((body) => JSON.stringify(cutTo(body, fields))) : whole;
  if (!include) return { ids: there, objects };
  const { resource } = model.type(type);
  const included = await readIncluded(model, resource, bodies, include, caller);
  return { ids: there, objects, included };
}
