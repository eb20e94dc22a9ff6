/**
 * Lists of the panel: filtered and sorted by any attribute of a type, for callers who see all of its objects exactly. Their
 * cost does not depend on the number of objects: a condition without an index is checked on the first `MAX_TOTAL` objects
 * only, and the answer says so.
 */
import type { Caller } from '../../../../../core/caller';
import { ALWAYS, limitTo, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Field, Resource } from '../../declare/completed';
import { isSortedByIndex } from '../conditions/indexed';
import { met } from '../conditions/in-order';
import { sharedSource } from '../conditions/partitions';
import { UnknownFilter } from '../conditions/predicate';
import type { Run } from '../conditions/probe';
import { direction } from '../conditions/sort-keys';
import { allOf, OWN, withoutIndex, type Selection, type Source } from '../conditions/source';
import { MAX_TOTAL } from '../language/limits';
import type { ListPage, ListQuery, ListSort } from '../language/list-query';
import type { SortKey } from '../language/sort';
import { mentions } from '../language/tree';
import type { SearchMemory } from '../memory';
import { planList, type ListPlan } from '../plan/list-plan';
import { countUpTo } from './find';
import { pageOf } from './page';
import { runApart } from './run';
import { readerOf } from './search';
import { isInstant, isSecret } from '../../kinds/traits';

/**
 * A page of a list, and how many there are.
 *
 * @returns null if there are too many to be sorted so: by more than one key, or by one that has no index
 * @throws UnknownFilter for an attribute that lists know nothing of
 */
export async function listObjects(
  memory: SearchMemory,
  type: string,
  query: ListQuery,
  caller: Caller,
): Promise<ListPage | null> {
  const { model } = memory;
  const compiled = readerOf(model, type, caller);
  const run = runApart(model, caller);
  const indexes = await memory.leadingColumns();
  const searched = { ...withMerged(memory.source(type, compiled, 'checked'), query), indexes };
  const planned = await planList(searched, query, run);
  const plan = isScanOfOwnTable(searched, planned, query)
    ? await planList({ ...memory.source(type, compiled, 'own'), indexes }, query, run)
    : planned;
  const known = await countUpTo(MAX_TOTAL, plan.rows, run);
  const source = sharedSource(plan.many.rows);
  const sort = quickSort(source, query.sort);
  return sort
    ? pageInOrder(plan, { ...query, sort }, known, run)
    : pageOfFew(plan, query, known, run);
}

interface QuickQuery extends Omit<ListQuery, 'sort'> {
  readonly sort: readonly SortKey[];
}

/** @param known how many the indexes find, up to one more than `MAX_TOTAL` */
async function pageInOrder(
  { few, many, residual }: ListPlan,
  { sort, limit, offset }: QuickQuery,
  known: number,
  run: Run,
): Promise<ListPage> {
  const isAll = known <= MAX_TOTAL;
  const scan = few && isAll ? few : many;
  const rowsOf = (cut: Pick<QuickQuery, 'limit' | 'offset'>, beside: readonly Sql[] = []) =>
    cut.limit === 0
      ? []
      : run(pageOf(scan.rows, { sort, after: null, ...cut }, { order: scan.order, beside }).sql);
  const idOf = ([id]: Row): string => String(id);
  if (residual.length === 0) {
    const ids = (await rowsOf({ limit, offset })).map(idOf);
    return { ids, total: Math.min(known, MAX_TOTAL), counted: isAll ? 'all' : 'more' };
  }
  const meets = sql`case when ${allOf(residual)} then 1 else 0 end`;
  const looked = await rowsOf({ limit: MAX_TOTAL, offset: 0 }, [meets]);
  const met = looked.filter((row) => Number(row.at(-1)) === 1).map(idOf);
  return {
    ids: met.slice(offset, offset + limit),
    total: isAll ? met.length : MAX_TOTAL,
    counted: isAll ? 'all' : 'partly',
  };
}

/** A page of few objects, in an order that no index has. */
async function pageOfFew(
  { rows, residual }: ListPlan,
  query: ListQuery,
  known: number,
  run: Run,
): Promise<ListPage | null> {
  if (known > MAX_TOTAL) return null;
  const selections = rows.selections.map(({ source, where }) => ({
    source,
    where: allOf([where, ...residual]),
  }));
  const total =
    residual.length > 0 ? await countUpTo(MAX_TOTAL, { ...rows, selections }, run) : known;
  return { ids: await sorted(selections, query, run), total, counted: 'all' };
}

/** Whether all is looked at one by one in an order that the type's own table has: without a join of the two tables. */
function isScanOfOwnTable(
  { access, resource, alias }: Source,
  { rows: { by }, residual }: ListPlan,
  { sort: [only, ...others], words }: ListQuery,
): boolean {
  if (alias === OWN || access.exact() !== 'all' || words !== null || others.length > 0)
    return false;
  const field = only && attributeField(resource, only.attribute);
  return field !== undefined && isInstant(field) && by.length === 0 && residual.length > 0;
}

/** What was merged into another object is listed where one asks for it. */
function withMerged(source: Source, { filter }: ListQuery): Source {
  const { resource, access, alias } = source;
  const attribute = resource.mergedInto?.attribute ?? null;
  if (attribute === null || resource.searched !== null || !mentions(filter, attribute))
    return source;
  return { ...source, visible: withoutIndex(access.condition(access.extent('read'), alias)) };
}

const attributeField = (resource: Resource, attribute: string): Field | undefined =>
  [...resource.fields.values()].find((field) => field.attribute === attribute);

/** The keys of an order for which there is an index; null for any other one. */
function quickSort(source: Source, sort: readonly ListSort[]): readonly SortKey[] | null {
  if (sort.length === 0) return [];
  const [only, ...others] = sort;
  const field = attributeField(source.resource, only?.attribute ?? '');
  if (!only || !field || only.of !== null || others.length > 0) return null;
  return isSortedByIndex(source.resource, field)
    ? [{ field, isDescending: only.isDescending }]
    : null;
}

/** What has no value is last. */
async function sorted(
  selections: readonly Selection[],
  { sort, limit, offset }: ListQuery,
  run: Run,
): Promise<readonly string[]> {
  if (limit === 0) return [];
  const source = sharedSource({ selections });
  const keys = sort.map((one) => ({ ...one, key: keyOf(source, one) }));
  const order = [
    ...keys.flatMap(({ key, isDescending }) => [
      [sql`case when ${key} is null then 1 else 0 end`, raw('')] as const,
      [key, direction(isDescending)] as const,
    ]),
    [source.documentId, raw('')] as const,
  ];
  const found = selections.map(
    ({ source: one, where }) =>
      sql`from ${one.from(where, ...keys.map(({ key }) => key))} where ${where}`,
  );
  const rows = await run(
    sql`${met([source.documentId], order, found, limitTo(limit + offset))}${limitTo(limit)} offset ${offset}`,
  );
  return rows.map(([id]) => String(id));
}

function keyOf(source: Source, { attribute, of }: ListSort): Sql {
  if (attribute === 'id') return source.rowId;
  const field = attributeField(source.resource, attribute);
  if (!field) throw new UnknownFilter(attribute);
  const { shown, columns } = source.term(field);
  const [text, start] = columns;
  const column = start ?? text;
  if (!column || isSecret(field)) throw new UnknownFilter(attribute);
  const value = of === null ? column : keyOfTarget(source, field, of, column);
  return shown === ALWAYS ? value : sql`case when ${shown} then ${value} end`;
}

function keyOfTarget({ resources, accessTo }: Source, { to }: Field, of: string, column: Sql): Sql {
  const target = resources.get(to ?? '');
  const access = accessTo(to ?? '');
  const field = [...(target?.fields.values() ?? [])].find(({ attribute }) => attribute === of);
  const [text, start] = field?.columns ?? [];
  const name = of === 'id' ? 'id' : (start ?? text);
  if (!target || !access || access.exact() !== 'all' || name === undefined)
    throw new UnknownFilter(of);
  if (field && isSecret(field)) throw new UnknownFilter(of);
  const seen = field ? access.condition(access.seen(field), 't') : ALWAYS;
  const readable = access.condition(access.extent('read'), 't');
  return sql`(select ${raw(`t.${name}`)} from ${raw(`${target.table} t`)}
    where t.id = ${column} and ${allOf([seen, readable])})`;
}
