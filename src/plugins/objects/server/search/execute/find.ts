/** Makes statements of a plan: a page, and the number of all that is found. */
import { anyOf, limitTo, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Matches } from '../../declare/objects';
import type { Run } from '../conditions/probe';
import { numberBefore } from '../conditions/in-order';
import { rowsIn, sharedSource } from '../conditions/partitions';
import { allOf } from '../conditions/source';
import { MAX_PASSED_PAGE, MAX_SORTED, MAX_TOTAL, SORTED_PER_PASSED } from '../language/limits';
import type { SearchQuery } from '../language/query';
import { isByIds, type Place } from '../language/sort';
import type { Runner } from '../plan/choose';
import { earlyRows } from '../plan/early';
import type { CollectPlan, CountPlan, PageScan, Plan } from '../plan/plan';
import type { Scan } from '../plan/scans';
import { pageOf, type Page, type PageOptions } from './page';

/** A page of what is found. */
export interface FoundPage {
  readonly ids: readonly string[];
  readonly next: Place | null;
}

/** A page, and what is said of the number of all. */
interface CountedPage extends FoundPage, Pick<Matches, 'total' | 'isTotalExact'> {}

export async function find(plan: Plan, query: SearchQuery, runner: Runner): Promise<CountedPage> {
  const run = runner[plan.runs];
  switch (plan.by) {
    case 'early':
      return pageFrom(plan.places, query.limit);
    case 'collect':
      return collectedPage(plan, query, run);
    case 'page':
      return query.limit === 0 ? NOTHING : pageAt(plan.page, query, run);
    case 'count':
      return query.count === 'none' && query.limit === 0 ? NOTHING : countedPage(plan, query, run);
  }
}

const NOTHING: FoundPage = { ids: [], next: null };

/** A first page out of few rows, all of which are counted where a number is wanted. */
async function collectedPage(
  { rows: scan }: CollectPlan,
  query: SearchQuery,
  run: Run,
): Promise<CountedPage> {
  const { sort, limit, offset, count } = query;
  const isCounted = count !== 'none';
  const cut = { sort, after: null, limit: limit + 1, offset };
  const page = pageOf(scan, cut, { order: 'sorted', isCounted });
  const rows = await run(page.sql);
  if (!isCounted) return pageIn(page, rows, limit);
  const [total, onPage] = numbered(rows);
  return { ...pageIn(page, onPage, limit), total, isTotalExact: true };
}

/** The number before the rows of a page (`numberBefore`), and the rows. */
function numbered(rows: readonly Row[]): readonly [number, readonly Row[]] {
  const onPage = rows.map(([, ...row]) => row).filter(([id]) => (id ?? null) !== null);
  return [Number(rows[0]?.[0] ?? 0), onPage];
}

/** In place of a number: the page is full of what the first rows have. */
const EARLY = '-1';

/** Counts what is found, and finds the page by the scan that is best for so many. */
async function countedPage(plan: CountPlan, query: SearchQuery, run: Run): Promise<CountedPage> {
  const { rows: counted, upTo, many } = plan;
  const { count, limit } = query;
  const counting: Counting = {
    // Not for each plan with an early scan: it is of no use for some orders, and for pages far behind.
    early: plan.early && earlyRows(plan.early, withOneMore(query)),
    number: countOf(counted, countLimit(plan, query)),
  };
  const isOne = limit === 0 || !sharedSource(many.rows).dialect.splitsChoices;
  const [found, page] = await (isOne ? byOneStatement : byStatements)(counting, plan, query, run);
  const total =
    upTo === null
      ? { total: found, isTotalExact: true }
      : { total: Math.min(found, upTo), isTotalExact: found <= upTo };
  return { ...page, ...(count === 'none' ? {} : total) };
}

interface Counting {
  /** The page out of the first rows, where it is tried. */
  readonly early: Sql | null;
  readonly number: Sql;
}

/** The number is of no meaning where the first rows have the page: then none is wanted. */
type Finding = Promise<readonly [found: number, page: FoundPage]>;

/** By one statement with all scans, one of which looks at rows. */
async function byOneStatement(
  { early, number }: Counting,
  { few, many }: CountPlan,
  query: SearchQuery,
  run: Run,
): Finding {
  const { limit } = query;
  const first = early
    ? sql`g as materialized (${early}), n(n) as materialized
        (select case when (select count(*) from g) > ${limit} then ${raw(EARLY)} else (${number}) end)`
    : sql`n(n) as materialized (${number})`;
  const parts = sql`with ${first}${few ? sql`, ${chosenOf(few, many, query)}` : raw('')}`;
  const page = few ? pageByNumber(few, many, query) : pageBy(many, query);
  const pages = early
    ? sql`select * from g where (select n.n from n) = ${raw(EARLY)} union all ${page.sql}`
    : page.sql;
  const rows = await run(
    limit === 0 ? sql`${parts} select n.n from n` : sql`${parts} ${numberBefore(pages)}`,
  );
  const [found, onPage] = numbered(rows);
  return [found, pageIn(page, onPage, limit)];
}

/** By a statement for each question, as far as it has to be asked. What was written between two is seen by the later alone. */
async function byStatements(
  { early, number }: Counting,
  { few, many }: CountPlan,
  query: SearchQuery,
  run: Run,
): Finding {
  if (early) {
    const first = await run(early);
    if (first.length > query.limit)
      return [first.length, pageIn(pageBy(many, query), first, query.limit)];
  }
  const [chosen, isMet] = few
    ? [sql`, ${chosenOf(few, many, query)}`, sql`(select c.is_met from chosen c)`]
    : [raw(''), raw('1')];
  const [[found = 0, areMet = 0] = []] = await run(
    sql`with n(n) as materialized (${number})${chosen} select n.n, ${isMet} from n`,
  );
  if (Number(found) === 0) return [0, NOTHING];
  return [Number(found), await pageAt(few && Number(areMet) === 0 ? few : many, query, run)];
}

/** By what `chosenOf` says. */
function pageByNumber(few: PageScan, many: PageScan, query: SearchQuery): Page {
  const { dialect } = sharedSource(many.rows);
  const partIf = (scan: PageScan, isMet: 0 | 1): Page => {
    const gate = dialect.gate(sql`(select c.is_met from chosen c) = ${raw(String(isMet))}`);
    const page = pageBy(scan, query, gate.most);
    return { ...page, sql: sql`select * from (${page.sql}) g where ${gate.where}` };
  };
  const [some, all] = [partIf(few, 0), partIf(many, 1)];
  return { ...all, sql: sql`${some.sql} union all ${all.sql}` };
}

/**
 * Whether so many are found that they are met in the order of the page: a part of a `with` after `n`. In the order of IDs they
 * have to be dense, too; of more than `MAX_TOTAL`, which are not counted, the first ones are.
 */
function chosenOf(few: PageScan, many: PageScan, query: SearchQuery): Sql {
  const isMet = isMetOf(few, many, query);
  return sql`chosen(is_met) as materialized
    (select case when n.n >= 0 then case when ${isMet} then 1 else 0 end end from n)`;
}

function isMetOf(few: PageScan, many: PageScan, query: SearchQuery): Sql {
  const { sort, limit, offset } = query;
  const areMany = sql`n.n > ${raw(String(leastMany(few, query)))}`;
  if (!isByIds(sort) || isFull(few)) return areMany;
  const areDense = areDenseOf(raw('n.n'), many, query);
  const isFirst = offset + limit < MAX_PASSED_PAGE;
  const isEnough = isFirst ? anyOf([sql`n.n > ${raw(String(MAX_TOTAL))}`, areDense]) : areDense;
  return allOf([areMany, isEnough]);
}

/** Whether all rows are looked at, as no condition has an index. */
const isFull = ({ rows }: PageScan): boolean => rows.scan === 'index' && rows.by.length === 0;

/**
 * How many have to be exceeded for a scan in the order of the page. Where they are collected by a full scan, which looks at as
 * many rows again as were counted, an ordered scan costs less as soon as it passes a tenth of all (`SORTED_PER_PASSED`).
 */
function leastMany(few: PageScan, { sort, limit, offset }: SearchQuery): number {
  if (!isFull(few)) return MAX_SORTED;
  const dense = SORTED_PER_PASSED * (offset + limit + 1);
  return isByIds(sort) ? dense : Math.min(dense, MAX_SORTED);
}

/** Whether an ordered scan by ID passes fewer rows than there are to be sorted, by their costs. */
function areDenseOf(found: Sql, { rows }: PageScan, { limit, offset }: SearchQuery): Sql {
  const { rowId, table, alias } = sharedSource(rows);
  const factor = raw(String(SORTED_PER_PASSED * (offset + limit + 1)));
  // There are no more rows than the number of the last one says.
  return sql`1.0 * ${found} * ${found} > ${factor} * (select max(${rowId}) from ${raw(`${table} ${alias}`)})`;
}

/** The end of what is counted. Where no number is wanted, fewer may say already that an ordered scan by ID is best. */
function countLimit({ upTo, few, many }: CountPlan, query: SearchQuery): Sql {
  if (upTo === null) return raw('');
  if (query.count !== 'none' || !few) return limitTo(upTo + 1);
  const least = leastMany(few, query) + 1;
  if (isFull(few)) return limitTo(Math.min(least, upTo + 1));
  if (!isByIds(query.sort)) return limitTo(upTo + 1);
  const [enough, most] = [raw(String(least)), raw(String(upTo + 1))];
  return sql` limit case when ${areDenseOf(enough, many, query)} then ${enough} else ${most} end`;
}

const pageBy = ({ rows, order }: PageScan, query: SearchQuery, most?: PageOptions['most']): Page =>
  pageOf(rows, withOneMore(query), { order, ...(most ? { most } : {}) });

/** One more tells whether there is a next page. */
export const withOneMore = (query: SearchQuery): SearchQuery => ({
  ...query,
  limit: query.limit + 1,
});

/** @param rows from the first of the page on; if there are more than `limit`, another page follows */
const pageIn = (page: Page, rows: readonly Row[], limit: number): FoundPage =>
  pageFrom(rows.slice(0, limit + 1).map(page.place), limit);

function pageFrom(places: readonly Place[], limit: number): FoundPage {
  const onPage = places.slice(0, limit);
  const next = places.length > limit ? (onPage.at(-1) ?? null) : null;
  return { ids: onPage.map(({ id }) => id), next };
}

export async function pageAt(scan: PageScan, query: SearchQuery, run: Run): Promise<FoundPage> {
  const { limit } = query;
  const page = pageBy(scan, query);
  const { parts } = page;
  if (!parts || !sharedSource(scan.rows).dialect.splitsChoices)
    return pageIn(page, await run(page.sql), limit);
  const first = await run(parts.first);
  if (first.length > limit) return pageIn(page, first, limit);
  const ids = new Set(first.map(([id]) => id));
  // One that has lost its value between the two statements is in both.
  const others = (await run(parts.second(limit + 1 - first.length))).filter(([id]) => !ids.has(id));
  return pageIn(page, [...first, ...others], limit);
}

export async function countUpTo(most: number, rows: Scan, run: Run): Promise<number> {
  const [[found] = []] = await run(countOf(rows, limitTo(most + 1)));
  return Number(found ?? 0);
}

/** @param limit the end of a `select`, where not all are counted */
function countOf({ selections }: Scan, limit: Sql): Sql {
  return sql`select cast(count(*) as integer) from (${rowsIn(selections, raw('1'))}${limit}) t`;
}
