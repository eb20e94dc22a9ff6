/** Searches the objects of a type, as far as the caller may see them. */
import type { Caller } from '../../../../../core/caller';
import { ApiError } from '../../../../../core/errors';
import { raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { CallerModel, Model } from '../../model';
import { cutTo, readObjects } from '../../read/reader';
import { readIncluded, type Included } from '../../read/include';
import { kindOf } from '../../rights/access';
import { switchKey } from '../../rights/switches';
import { privacyKey } from '../../site';
import type { Body, Matches } from '../../types';
import type { PlaceCursors } from './cursor';
import { FEW, MAX_SORTED, MAX_TOTAL } from '../language/limits';
import { isInKeyOrder } from '../conditions/key-order';
import { glanceOf } from '../plan/early';
import { pageOf, type Page, type PageOptions } from './page';
import type { Place } from '../conditions/sort-keys';
import { ask, type Plan } from '../plan/choose';
import { readQuery, type SearchQuery } from '../language/query';
import { runApart, runBesideReads, type Run } from './run';
import { sourceOf, type Way } from '../conditions/source';
import type { Ways } from '../plan/scans';

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
  const [beside, apart] = [runBesideReads(model, caller), runApart(model, caller)];
  const runFor = (isBrief: boolean): Run => (isBrief ? beside : apart);
  const { places, planOf } = await ask(source, query, withOneMore(query), runFor);
  const { ids, next, ...total } = places
    ? pageFrom(places, query.limit)
    : await pageBy(query, planOf(), runFor);
  const found = query.expand ? await expanded(model, type, ids, query, caller) : {};
  return {
    ids,
    ...total,
    limit: query.limit,
    next: next && cursors.encode(next, boundTo(query.bound)),
    ...found,
  };
}

/** What is compiled for a caller who may read some objects of a type. @throws ApiError for any other one */
export function readerOf(model: Model, type: string, caller: Caller): CallerModel {
  const compiled = model.type(type).for(caller);
  const { access } = compiled;
  if (access.extent('read').length === 0) throw new ApiError(access.refusal('read'));
  return compiled;
}

/** What a cursor is good for: this query, of this caller, while it may see the same. */
function binding(model: Model, caller: Caller): (query: string) => string {
  const site = model.site();
  const { role, claims } = kindOf(caller);
  const sees = [caller.id, role, claims, switchKey(site), privacyKey(site)];
  return (query) => JSON.stringify([query, ...sees]);
}

/** A page of what is found. */
interface Found {
  readonly ids: readonly string[];
  readonly next: Place | null;
}

/** A page, and what is said of the number of all. */
interface CountedPage extends Found, Pick<Matches, 'total' | 'isTotalExact'> {}

function pageBy(
  query: SearchQuery,
  { lead, ways }: Plan,
  runFor: (isBrief: boolean) => Run,
): Promise<CountedPage> {
  const run = runFor(lead.proof !== null);
  return lead.proof && query.after === null
    ? firstPage(query, ways.all, run)
    : countedPage(query, ways, run);
}

/** A first page out of few rows: they are all listed, and so counted. */
async function firstPage(query: SearchQuery, way: Way, run: Run): Promise<CountedPage> {
  const { sort, limit, offset, count } = query;
  const isCounted = count !== 'none';
  const cut = isCounted ? { limit: FEW, offset: 0 } : { limit: limit + 1, offset };
  const page = pageOf(way, { sort, after: null, ...cut }, { isWalk: false });
  const rows = await run(page.sql);
  if (!isCounted) return pageIn(page, rows, limit);
  return { ...pageIn(page, rows.slice(offset), limit), total: rows.length, isTotalExact: true };
}

/** In place of a number: the page is full of what a glance at the first rows finds. */
const GLANCE = '-1';

/** Counts what is found, and finds the page by the way that is best for so many, in one statement. */
async function countedPage(query: SearchQuery, ways: Ways, run: Run): Promise<CountedPage> {
  const { count, limit } = query;
  const isPlain = query.conditions.length === 0;
  if (count === 'none' && limit === 0) return { ids: [], next: null };
  if (count === 'none' && isPlain) return pageAt(query, ways, true, run);
  const most = { none: MAX_SORTED, bounded: MAX_TOTAL, exact: null }[count];
  const counted = countOf(most, ways.all);
  const n = raw('(select n.n from n)');
  const isGlanced = count === 'none' && ways.glance && !isByDistance(query);
  const glance = isGlanced ? glanceOf(ways.glance, withOneMore(query)) : null;
  const counting = glance
    ? sql`with g as materialized (${glance}),
        n(n) as materialized (select case when (select count(*) from g) > ${limit} then ${raw(GLANCE)} else (${counted}) end)`
    : sql`with n(n) as materialized (${counted})`;
  const page = isPlain ? pageByWay(query, ways, true) : pageByNumber(query, ways, n);
  const pages = glance
    ? sql`select * from g where ${n} = ${raw(GLANCE)} union all ${page.sql}`
    : page.sql;
  const rows = await run(
    limit === 0
      ? sql`${counting} select n.n from n`
      : sql`${counting} select n.n, p.* from n left join (${pages}) p on 1 = 1`,
  );
  const found = Number(rows[0]?.[0] ?? 0);
  const total =
    most === null
      ? { total: found, isTotalExact: true }
      : { total: Math.min(found, most), isTotalExact: found <= most };
  const onPage = rows.map(([, ...row]) => row).filter(([id]) => (id ?? null) !== null);
  return { ...pageIn(page, onPage, limit), ...(count === 'none' ? {} : total) };
}

const isByDistance = ({ sort }: Pick<SearchQuery, 'sort'>): boolean =>
  sort.some(({ from }) => from !== undefined);

/** @param found the number of matches as SQL: either they are collected and sorted, or met in their order */
function pageByNumber(query: SearchQuery, ways: Ways, found: Sql): Page {
  const partIf = (isBroad: boolean): Page => {
    const condition = sql`${found} ${raw(isBroad ? `> ${MAX_SORTED}` : `between 0 and ${MAX_SORTED}`)}`;
    const gate = ways.walk.source.dialect.gate(condition);
    const page = pageByWay(query, ways, isBroad, gate.most);
    return { ...page, sql: sql`select * from (${page.sql}) g where ${gate.where}` };
  };
  const [sorted, walked] = [partIf(false), partIf(true)];
  return { ...walked, sql: sql`${sorted.sql} union all ${walked.sql}` };
}

/** @param rows from the first of the page on; if there are more than `limit`, another page follows */
const pageIn = (page: Page, rows: readonly Row[], limit: number): Found =>
  pageFrom(rows.slice(0, limit + 1).map(page.place), limit);

function pageFrom(places: readonly Place[], limit: number): Found {
  const onPage = places.slice(0, limit);
  const next = places.length > limit ? (onPage.at(-1) ?? null) : null;
  return { ids: onPage.map(({ id }) => id), next };
}

/** One more tells whether there is a next page. */
const withOneMore = (query: SearchQuery): SearchQuery => ({ ...query, limit: query.limit + 1 });

/** @param isBroad whether there are many: they are met in their order, and not collected and sorted */
function pageByWay(
  query: SearchQuery,
  { all, walk, stream }: Ways,
  isBroad: boolean,
  most?: PageOptions['most'],
): Page {
  const cut = withOneMore(query);
  // No index has this order: all that is near is sorted.
  if (isByDistance(query)) return pageOf(all, cut, { isWalk: false, ...(most ? { most } : {}) });
  const options = { isWalk: isBroad, ...(most ? { most } : {}) };
  return isBroad && stream && isInKeyOrder(stream.source, query.sort)
    ? pageOf(stream, cut, { ...options, stream: stream.streamed.key })
    : pageOf(isBroad ? walk : all, cut, options);
}

export async function pageAt(
  query: SearchQuery,
  ways: Ways,
  isBroad: boolean,
  run: Run,
): Promise<Found> {
  const page = pageByWay(query, ways, isBroad);
  return pageIn(page, await run(page.sql), query.limit);
}

export async function countUpTo(most: number, way: Way, run: Run): Promise<number> {
  const [[found] = []] = await run(countOf(most, way));
  return Number(found ?? 0);
}

/** @param most from which on one more stands for all; null to count all */
function countOf(most: number | null, { source, where }: Way): Sql {
  const limit = raw(most === null ? '' : ` limit ${most + 1}`);
  return sql`select cast(count(*) as integer) from (select 1 from ${source.from(where)} where ${where}${limit}) t`;
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
