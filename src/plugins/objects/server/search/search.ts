/** Searches the objects of a type, as far as the caller may see them. */
import type { Caller } from '../../../../core/caller';
import { ApiError, fail, type Issue } from '../../../../core/errors';
import { bind, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { CallerModel, Model } from '../model';
import { cutTo, readObjects } from '../read/reader';
import { readIncluded, type Included } from '../read/include';
import { callerArgs, kindOf } from '../rights/access';
import { switchKey } from '../rights/switches';
import type { Body, Matches } from '../types';
import { conditionSql } from './conditions';
import type { PlaceCursors } from './cursor';
import { MAX_TOTAL } from './limits';
import { pageOf, type Place } from './order';
import type { Condition } from './condition';
import { readQuery, type SearchQuery } from './query';
import { allOf, sourceOf, withoutIndex, type Source } from './source';
import { withNamed } from './words';

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
  const run = runFor(model, caller);
  const source = sourceOf(model, type, compiled);
  const conditions = await conditionsOf(source, query, run);
  const { isBroad, ...total } = await count(source, query, allOf(conditions.all), run);
  const where = isBroad ? conditions.walked : conditions.all;
  const { ids, next } = await pageAt(source, query, allOf(where), isBroad, run);
  const found = query.expand ? await expanded(model, type, ids, query, caller) : {};
  return {
    ids,
    ...total,
    limit: query.limit,
    next: next && cursors.encode(next, boundTo(query.bound)),
    ...found,
  };
}

type Run = (statement: Sql) => Promise<readonly Row[]>;

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

/** Runs statements of a search. @throws ApiError SEARCH_TOO_SLOW for one that the database has ended */
const runFor =
  ({ database }: Model, caller: Caller): Run =>
  async (statement) => {
    const args = callerArgs(caller, Date.now());
    try {
      return await database.read({ ...bind(statement, args), isAdHoc: true });
    } catch (error) {
      if (!database.isTooSlow(error)) throw error;
      throw fail('SEARCH_TOO_SLOW', {}, { 'Retry-After': RETRY_AFTER });
    }
  };

/** What is compiled for a caller who may read some objects of a type. @throws ApiError for any other one */
function readerOf(model: Model, type: string, caller: Caller): CallerModel {
  const compiled = model.type(type).for(caller);
  const { access } = compiled;
  if (access.extent('read').length === 0) throw new ApiError(access.refusal('read'));
  return compiled;
}

/** Objects of one page of an export. */
const PAGE = 500;

/** All that is found, in pages, as a read gives it. */
export async function* searchPages(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  invalid: readonly Issue[],
): AsyncGenerator<readonly Body[], void> {
  const { resource, ...known } = model.type(type);
  readerOf(model, type, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, () => null, invalid);
  const run = runFor(model, caller);
  let after: Place | null = null;
  do {
    // Anew for each page: settings and rights may change meanwhile.
    const source = sourceOf(model, type, known.for(caller));
    const { walked } = await conditionsOf(source, query, run);
    const page: Found = await pageAt(
      source,
      { ...query, after, limit: PAGE },
      allOf(walked),
      true,
      run,
    );
    const texts = await readObjects(model, type, page.ids, caller);
    yield page.ids.flatMap((id) => {
      const text = texts.get(id);
      return text === undefined ? [] : [JSON.parse(text) as Body];
    });
    after = page.next;
  } while (after);
}

/** What a cursor is good for: this query, of this caller, while it may see the same. */
function binding(model: Model, caller: Caller): (query: string) => string {
  const site = model.site();
  const { role, claims } = kindOf(caller);
  const sees = [caller.id, role, claims, switchKey(site), site.defaultLocationPrivacy];
  return (query) => JSON.stringify([query, ...sees]);
}

/** Conditions of a query, the rights of the caller included. */
interface Conditions {
  /** In a form for which there are indexes. */
  readonly all: readonly Sql[];
  /** For a walk in the order of the page: by no index that has another order. */
  readonly walked: readonly Sql[];
}

/** Conditions whose indexes have the order of time beside them. */
const isInOrder = (condition: Condition): boolean =>
  condition.by === 'id' ||
  (condition.by === 'values' && !condition.not && condition.values.length === 1) ||
  (condition.by === 'bound' && condition.side === 'max');

type Bound = Extract<Condition, { by: 'bound' }>;

/** The two bounds of a time as one condition. */
function withSpans(conditions: readonly Condition[]): readonly Condition[] {
  const boundsOf = (side: 'min' | 'max'): Bound[] =>
    conditions.filter(
      (one): one is Bound =>
        one.by === 'bound' && one.side === side && one.subject.field.kind === 'time',
    );
  return boundsOf('min').reduce<readonly Condition[]>((all, min) => {
    const max = boundsOf('max').find(({ subject }) => subject.field === min.subject.field);
    if (!max || typeof min.bound === 'number' || typeof max.bound === 'number') return all;
    const span = { by: 'span', subject: min.subject, from: min.bound, to: max.bound } as const;
    return [...all.filter((one) => one !== min && one !== max), span];
  }, conditions);
}

async function conditionsOf(
  source: Source,
  { conditions }: SearchQuery,
  run: Run,
): Promise<Conditions> {
  const resolved: Condition[] = [];
  for (const condition of conditions)
    resolved.push(condition.by === 'words' ? await withNamed(source, condition, run) : condition);
  const walked = resolved.map((condition) => {
    const own = conditionSql(source, condition);
    return isInOrder(condition) ? own : withoutIndex(own);
  });
  const all = withSpans(resolved).map((condition) => conditionSql(source, condition));
  return { all: [...all, source.visible], walked: [...walked, source.visible] };
}

/** A page of what is found. */
interface Found {
  readonly ids: readonly string[];
  readonly next: Place | null;
}

async function pageAt(
  source: Source,
  { sort, limit, offset, after }: SearchQuery,
  where: Sql,
  isBroad: boolean,
  run: Run,
): Promise<Found> {
  if (limit === 0) return { ids: [], next: null };
  const page = pageOf(source, where, sort, after, [limit + 1, offset], isBroad);
  const rows = await run(page.sql);
  const places = rows.slice(0, limit).map(page.place);
  return {
    ids: places.map(({ id }) => id),
    next: rows.length > limit ? (places.at(-1) ?? null) : null,
  };
}

/** Matches above which they are not collected and sorted, but met on a walk in the order of the page. */
const BROAD = 2000;

interface Counted extends Pick<Matches, 'total' | 'isTotalExact'> {
  readonly isBroad: boolean;
}

/** Counts, and finds out whether there are many. */
async function count(source: Source, query: SearchQuery, where: Sql, run: Run): Promise<Counted> {
  const upTo = async (most: number | null): Promise<number> => {
    const limit = raw(most === null ? '' : ` limit ${most + 1}`);
    const [counted] = await run(
      sql`select cast(count(*) as integer) from (select 1 from ${source.from(where)} where ${where}${limit}) t`,
    );
    return Number(counted?.[0] ?? 0);
  };
  const isPlain = query.conditions.length === 0;
  if (query.count === 'none')
    return { isBroad: isPlain || query.limit === 0 || (await upTo(BROAD)) > BROAD };
  if (query.count === 'exact') {
    const total = await upTo(null);
    return { total, isTotalExact: true, isBroad: total > BROAD };
  }
  const total = await upTo(MAX_TOTAL);
  return {
    total: Math.min(total, MAX_TOTAL),
    isTotalExact: total <= MAX_TOTAL,
    isBroad: isPlain || total > BROAD,
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
