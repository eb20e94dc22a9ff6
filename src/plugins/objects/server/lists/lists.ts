/**
 * Lists of the panel: filtered and sorted by any attribute of a type, for callers who see all of its objects exactly. Their
 * cost does not depend on the number of objects: a condition without an index is checked on the first `MAX_TOTAL` objects
 * only, and the answer says so.
 */
import type { Caller } from '../../../../core/caller';
import { isUuid } from '../../../../core/formats';
import { wordsOf } from '../../../../core/words';
import { ALWAYS, NEVER, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { Field, Resource } from '../define/completed';
import type { Model } from '../model';
import { conditionSql } from '../search/conditions';
import type { Condition } from '../search/condition';
import { MAX_TOTAL, MAX_WORDS } from '../search/limits';
import { mentions, type ListPage, type ListQuery, type ListSort } from './list-filter';
import { UnknownFilter, type Indexed } from './list-columns';
import { conjuncts, listCondition } from './list-conditions';
import { pageOf } from '../search/order';
import type { SortKey } from '../search/sort-keys';
import { answersTo } from '../search/questions';
import { runApart, type Run } from '../search/run';
import { readerOf } from '../search/search';
import { allOf, sourceOf, withoutIndex, type Source, type Way } from '../search/source';
import { sortedText } from '../search/texts';
import { meaningOf, namesOf } from '../search/meaning';
import { hasWords, streamedBy } from '../search/words';

/** What is found by an index, and what has to be looked at one by one. */
interface Parts {
  /** Where it is found: by words, if there is no other index. */
  readonly source: Source;
  readonly found: readonly Sql[];
  /** The same for a walk in the order of the list. */
  readonly walk: Way & { readonly key: Sql | null };
  readonly checked: readonly Sql[];
}

/**
 * A page of a list, and how many there are.
 *
 * @returns null if there are too many to be sorted so: by more than one key, or by one that has no index
 * @throws UnknownFilter for an attribute that lists know nothing of
 */
export async function listObjects(
  model: Model,
  type: string,
  query: ListQuery,
  caller: Caller,
): Promise<ListPage | null> {
  const compiled = readerOf(model, type, caller);
  const run = runApart(model, caller);
  const indexes = await indexesOf(model);
  const searched = withMerged(sourceOf(model, type, compiled), query);
  const inSearched = await partsOf(searched, query, indexes, run);
  const isOwn = isWalkOfOwnTable(searched, inSearched, query);
  const source = isOwn ? sourceOf(model, type, compiled, true) : searched;
  const parts = isOwn ? await partsOf(source, query, indexes, run) : inSearched;
  const sort = quickSort(source, query.sort);
  const isPlain = parts.found.length === 0;
  const { visible } = source;
  const count = async (conditions: readonly Sql[]): Promise<number> => {
    const where = allOf([...conditions, visible]);
    const [row] = await run(
      sql`select cast(count(*) as integer) from (
        select 1 from ${parts.source.from(where)} where ${where} limit ${raw(String(MAX_TOTAL + 1))}) c`,
    );
    return Number(row?.[0] ?? 0);
  };
  const known = await count(parts.found);
  const isBroad = isPlain || known > MAX_TOTAL;
  if (!sort) {
    if (known > MAX_TOTAL) return null;
    const where = allOf([...parts.found, ...parts.checked, visible]);
    const total =
      parts.checked.length > 0 ? await count([...parts.found, ...parts.checked]) : known;
    return { ids: await sorted(parts.source, where, query, run), total, counted: 'all' };
  }
  const { walk } = parts;
  const listed = { source: parts.source, where: allOf([...parts.found, visible]) };
  const rowsOf = async (
    limit: number,
    offset: number,
    beside: readonly Sql[] = [],
  ): Promise<readonly Row[]> => {
    if (limit === 0) return [];
    const cut = { sort, after: null, limit, offset };
    const page = isBroad
      ? pageOf(walk, cut, { isWalk: true, stream: walk.key, beside })
      : pageOf(listed, cut, { isWalk: false, beside });
    return run(page.sql);
  };
  const idOf = ([id]: Row): string => String(id);
  const isAll = known <= MAX_TOTAL;
  if (parts.checked.length === 0) {
    const ids = (await rowsOf(query.limit, query.offset)).map(idOf);
    return { ids, total: Math.min(known, MAX_TOTAL), counted: isAll ? 'all' : 'more' };
  }
  const meets = sql`case when ${allOf(parts.checked)} then 1 else 0 end`;
  const looked = await rowsOf(MAX_TOTAL, 0, [meets]);
  const met = looked.filter((row) => Number(row.at(-1)) === 1).map(idOf);
  return {
    ids: met.slice(query.offset, query.offset + query.limit),
    total: isAll ? met.length : MAX_TOTAL,
    counted: isAll ? 'all' : 'partly',
  };
}

/** Whether all is looked at one by one in an order that the type's own table has: without a join of the two tables. */
function isWalkOfOwnTable(
  { access, resource, alias }: Source,
  { found, checked }: Parts,
  { sort: [only, ...others], words }: ListQuery,
): boolean {
  if (alias === 'o' || access.exact() !== 'all' || words !== null || others.length > 0)
    return false;
  const field = only && attributeField(resource, only.attribute);
  return field?.kind === 'instant' && found.length === 0 && checked.length > 0;
}

/** What was merged into another object is listed where one asks for it. */
function withMerged(source: Source, { filter }: ListQuery): Source {
  const { resource, access, alias } = source;
  const attribute = resource.mergedInto?.attribute ?? null;
  if (attribute === null || resource.searched !== null || !mentions(filter, attribute))
    return source;
  return { ...source, visible: withoutIndex(access.condition(access.extent('read'), alias)) };
}

async function partsOf(
  source: Source,
  { filter, words, sort }: ListQuery,
  indexes: (type: string, alias: string) => Indexed,
  run: Run,
): Promise<Parts> {
  const scope = { source, indexed: indexes };
  const all = conjuncts(filter).map((part) => listCondition(scope, part));
  const found = all.flatMap((one) => (one.isIndexed ? one.sql : []));
  const checked = all.flatMap((one) => (one.isIndexed ? [] : one.sql));
  const meant = words === null ? null : await textCondition(source, words, run);
  const named = meant === null ? [] : [conditionSql(source, meant)];
  const onTheWay = meant?.by === 'words' ? [hasWords(source, meant)] : named;
  // The indexes of equal values have the order of time beside them, and no other one.
  const inTime = sort.length === 1 && sort[0]?.attribute === 'time';
  const streamed = meant?.by === 'words' ? streamedBy(source, meant) : null;
  const whereOf = (conditions: readonly Sql[]): Sql =>
    allOf([...conditions.map(withoutIndex), source.visible]);
  const walk =
    streamed && inTime
      ? { ...streamed, where: allOf([streamed.meets, whereOf(found)]) }
      : {
          source,
          where: allOf([
            ...(inTime ? found : []),
            whereOf([...(inTime ? [] : found), ...onTheWay]),
          ]),
          key: null,
        };
  return streamed && found.length === 0
    ? { source: streamed.source, found: [streamed.meets], walk, checked }
    : { source, found: [...found, ...named], walk, checked };
}

/** All words occur, or it is the ID. */
async function textCondition(source: Source, text: string, run: Run): Promise<Condition> {
  const id = text.trim();
  if (isUuid(id)) return { by: 'id', id: id.toLowerCase() };
  const asked: Condition = { by: 'words', words: wordsOf(id).slice(0, MAX_WORDS) };
  const meaning = meaningOf(source, asked, namesOf(source, asked), NEVER);
  return meaning.read(await answersTo([meaning], run));
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

/** Whether an index has the objects of a type in the order of a field. */
export const isSortedByIndex = (resource: Resource, field: Field): boolean =>
  field.kind === 'instant'
    ? field.sort
    : field.kind === 'id' ||
      sortedText(resource) === field ||
      (field.kind === 'time' && resource.searched?.fields.includes(field.name) === true);

/** A page of few objects, in any order. What has no value is last. */
async function sorted(
  source: Source,
  where: Sql,
  { sort, limit, offset }: ListQuery,
  run: Run,
): Promise<readonly string[]> {
  if (limit === 0) return [];
  const keys = sort.map((one) => ({ ...one, key: keyOf(source, one) }));
  const order = keys.reduceRight<Sql>(
    (rest, { key, isDescending }) =>
      sql`case when ${key} is null then 1 else 0 end, ${key}${raw(isDescending ? ' desc' : '')}, ${rest}`,
    source.documentId,
  );
  const rows = await run(
    sql`select ${source.documentId} from ${source.from(where, order)} where ${where}
      order by ${order} limit ${limit} offset ${offset}`,
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
  if (!column || field.kind === 'secret') throw new UnknownFilter(attribute);
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
  if (field?.kind === 'secret') throw new UnknownFilter(of);
  const seen = field ? access.condition(access.seen(field), 't') : ALWAYS;
  const readable = access.condition(access.extent('read'), 't');
  return sql`(select ${raw(`t.${name}`)} from ${raw(`${target.table} t`)}
    where t.id = ${column} and ${allOf([seen, readable])})`;
}

/** By model: what is asked of its database once. */
const known = new WeakMap<Model, Promise<ReadonlyMap<string, readonly string[]>>>();

/** The first columns of the indexes of the types' tables. */
async function indexesOf(model: Model): Promise<(type: string, alias: string) => Indexed> {
  const load = known.get(model) ?? loadIndexes(model);
  known.set(model, load);
  // A database that was away is asked again.
  load.catch(() => known.delete(model));
  const columns = await load;
  return (type, alias) => {
    const resource = model.resources.get(type);
    const table = alias === 's' ? resource?.searched?.name : resource?.table;
    return new Set((columns.get(table ?? '') ?? []).map((column) => `${alias}.${column}`));
  };
}

async function loadIndexes({
  resources,
  database,
}: Model): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = [...resources.values()].flatMap(({ table, searched }) =>
    searched ? [table, searched.name] : [table],
  );
  const columns = new Map<string, readonly string[]>();
  for (const table of tables) {
    const rows = await database.read(database.dialect.leadingColumns(table));
    columns.set(
      table,
      rows.map(([name]) => String(name)),
    );
  }
  return columns;
}
