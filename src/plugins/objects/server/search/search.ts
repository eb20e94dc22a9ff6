/** Searches the objects of a type, as far as the caller may see them. */
import type { Caller } from '../../../../core/caller';
import { ApiError } from '../../../../core/errors';
import { raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { CallerModel, Model } from '../model';
import { cutTo, readObjects } from '../read/reader';
import { readIncluded, type Included } from '../read/include';
import { kindOf } from '../rights/access';
import { switchKey } from '../rights/switches';
import type { Body, Matches } from '../types';
import type { PlaceCursors } from './cursor';
import { belowOf } from './below';
import { FEW, MAX_SORTED, MAX_TOTAL } from './limits';
import { isInKeyOrder } from './key-order';
import { glanceOf } from './glance';
import { pageOf, type Page, type PageOptions } from './order';
import type { Place } from './sort-keys';
import { readQuery, type SearchQuery } from './query';
import { answersTo } from './questions';
import { runApart, runBesideReads, type Run } from './run';
import { leadOf, type Lead } from './selective';
import { sourceOf, type Source, type Way } from './source';
import { waysOf, withSpans, type Ways } from './ways';
import { meaningOf } from './words';

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
  const { lead, ways } = await planOf(source, query, true, runFor);
  const run = runFor(lead.proof !== null);
  const { ids, next, ...total } = await (lead.proof && query.after === null
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

/**
 * @param proves whether it is found out if few rows are looked at
 * @param runFor runs what looks at few rows, and what may not
 */
export async function planOf(
  source: Source,
  { conditions }: SearchQuery,
  proves: boolean,
  runFor: (isBrief: boolean) => Run,
): Promise<{ readonly lead: Lead; readonly ways: Ways }> {
  const asked = { each: conditions, spans: withSpans(conditions) };
  const words = conditions.find((one) => one.by === 'words');
  const lead = leadOf(source, asked.spans, words !== undefined, proves);
  const meaning = words && meaningOf(source, words);
  const below = belowOf(source, conditions);
  const questions = [lead, below, ...(meaning ? [meaning] : [])];
  const answers = await answersTo(questions, runFor(lead.isBrief));
  const found = lead.read(answers);
  const resolved = below.read(answers);
  const known = { each: asked.each.map(resolved), spans: asked.spans.map(resolved) };
  const by = found.by && resolved(found.by);
  return { lead: found, ways: waysOf(source, known, meaning?.read(answers) ?? null, by) };
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
async function firstPage(query: SearchQuery, way: Way, run: Run): Promise<CountedPage> {
  const { sort, limit, offset } = query;
  const all = { sort, after: null, limit: FEW, offset: 0 };
  const page = pageOf(way, all, { isWalk: false });
  const rows = await run(page.sql);
  const total = query.count === 'none' ? {} : { total: rows.length, isTotalExact: true };
  return { ...pageIn(page, rows.slice(offset), limit), ...total };
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
  const glance = count === 'none' && ways.glance ? glanceOf(ways.glance, withOneMore(query)) : null;
  const counting = glance
    ? sql`with g as materialized (${glance}),
        n(n) as materialized (select case when (select count(*) from g) > ${limit} then ${raw(GLANCE)} else (${counted}) end)`
    : sql`with n(n) as materialized (${counted})`;
  const page = isPlain ? pageBy(query, ways, true) : pageByNumber(query, ways, n);
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

/** @param found the number of matches as SQL: either they are collected and sorted, or met in their order */
function pageByNumber(query: SearchQuery, ways: Ways, found: Sql): Page {
  const partIf = (isBroad: boolean): Page => {
    const condition = sql`${found} ${raw(isBroad ? `> ${MAX_SORTED}` : `between 0 and ${MAX_SORTED}`)}`;
    const gate = ways.walk.source.dialect.gate(condition);
    const page = pageBy(query, ways, isBroad, gate.most);
    return { ...page, sql: sql`select * from (${page.sql}) g where ${gate.where}` };
  };
  const [sorted, walked] = [partIf(false), partIf(true)];
  return { ...walked, sql: sql`${sorted.sql} union all ${walked.sql}` };
}

/** @param rows from the first of the page on; if there are more than `limit`, another page follows */
function pageIn(page: Page, rows: readonly Row[], limit: number): Found {
  const places = rows.slice(0, limit).map(page.place);
  return {
    ids: places.map(({ id }) => id),
    next: rows.length > limit ? (places.at(-1) ?? null) : null,
  };
}

/** One more tells whether there is a next page. */
const withOneMore = (query: SearchQuery): SearchQuery => ({ ...query, limit: query.limit + 1 });

/** @param isBroad whether there are many: they are met in their order, and not collected and sorted */
function pageBy(
  query: SearchQuery,
  { all, walk, stream }: Ways,
  isBroad: boolean,
  most?: PageOptions['most'],
): Page {
  const cut = withOneMore(query);
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
  const page = pageBy(query, ways, isBroad);
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
