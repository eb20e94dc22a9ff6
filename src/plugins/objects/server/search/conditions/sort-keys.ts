/**
 * The keys of an order: a value of each object as the caller sees it, and the condition that there is one. A place in the
 * order is the values of an object's keys.
 */
import {
  ALWAYS,
  columnIn,
  join,
  NEVER,
  raw,
  sql,
  type Sql,
  type SqlValue,
} from '../../database/sql';
import type { Row } from '../../database/work';
import type { Field } from '../../declare/completed';
import { MAX_INTEGER } from '../../kinds/integer';
import { positionOf } from '../../declare/position';
import { OBJECTS } from '../projection/parts';
import type { Place, SortKey } from '../language/sort';
import type { Circle } from '../language/tree';
import { distanceFrom } from './place';
import { allOf, needsOwnTable, OWN, withoutIndex, type Source } from './source';
import { sortedText } from '../projection/texts';
import { isInstant, isSpan, traitsOf } from '../../kinds/traits';

export interface Key {
  /** The condition that there is a value and the caller is shown it: a range, for which there are indexes. */
  readonly has: Sql;
  readonly hasNone: Sql;
  /** The same of rows whose value is not less than one, of all where that is null; null of what is computed, which has no index. */
  readonly hasFrom: ((value: Sql) => Sql) | null;
  /** Its columns, in order. */
  readonly columns: readonly Sql[];
  /** The same as they are selected. */
  readonly selected: readonly Sql[];
  readonly isDescending: boolean;
  /** The ID of the object, in the table of the columns: an index of that has both. */
  readonly documentId: Sql;
  /** The value of a parameter that stands for a selected one. */
  readonly bind: (value: string | number) => SqlValue;
}

/** What is joined for the sort keys of texts. */
const KEYS = 'k';

export function keyOf(source: Source, sortKey: SortKey, isMet: boolean): Key {
  const { field, isDescending, from: circle } = sortKey;
  if (circle) return distanceKey(source, circle, isDescending);
  const { dialect } = source;
  const { shown, columns } = source.term(field);
  const values = orderColumns(source, field, columns);
  const [first = raw('null')] = values;
  const least = leastOf(source, field);
  const from = (value: Sql): Sql => allOf([shown, sql`${first} >= ${value}`]);
  const there = from(sql`${least}`);
  return {
    has: isMet ? there : withoutIndex(there),
    hasFrom: (value) => from(sql`coalesce(${value}, ${least})`),
    hasNone:
      shown === ALWAYS
        ? sql`${first} is null`
        : sql`(case when ${shown} then 0 else 1 end = 1 or ${first} is null)`,
    columns: values,
    selected: isInstant(field) ? values.map((column) => dialect.milliseconds(column)) : values,
    isDescending,
    documentId: needsOwnTable(first) ? columnIn(OWN, 'document_id') : source.documentId,
    bind: (value) => (isInstant(field) ? dialect.instant(Number(value)) : value),
  };
}

function distanceKey(source: Source, from: Circle, isDescending: boolean): Key {
  const [latitude, longitude] = (positionOf(source.resource) ?? []).map((field) =>
    source.term(field),
  );
  const [y = NEVER] = latitude?.columns ?? [];
  const [x = NEVER] = longitude?.columns ?? [];
  const has = allOf([
    latitude?.shown ?? NEVER,
    longitude?.shown ?? NEVER,
    withoutIndex(sql`${y} is not null`),
  ]);
  const columns = [distanceFrom(y, x, from)];
  return {
    has,
    hasNone: sql`case when ${has} then 0 else 1 end = 1`,
    hasFrom: null,
    columns,
    selected: columns,
    isDescending,
    documentId: source.documentId,
    bind: Number,
  };
}

/** No value of a field is less. */
function leastOf({ dialect }: Source, field: Field): SqlValue {
  const { moment, number } = traitsOf(field);
  if (moment === 'instant') return dialect.instant(0);
  if (number === 'whole') return -MAX_INTEGER;
  return moment === 'span' || number === 'any' ? -Number.MAX_SAFE_INTEGER : '';
}

function orderColumns(source: Source, field: Field, columns: readonly Sql[]): readonly Sql[] {
  const { resource } = source;
  if (isSpan(field)) return columns.slice(1);
  if (sortedText(resource) === field)
    return [raw(resource.searched ? `${source.alias}.sort_key` : `${KEYS}.sort_key`)];
  return traitsOf(field).isChoice
    ? columns.map((column) => source.dialect.byCodePoint(column))
    : columns;
}

/** Whether the sort keys of texts are in another table, which has to be joined. */
export const needsKeys = ({ resource }: Source, sort: readonly SortKey[]): boolean =>
  !resource.searched && sort.some(({ field }) => field === sortedText(resource));

export const keysJoined = ({ resource, rowId }: Source, isInner: boolean): Sql =>
  sql`${raw(isInner ? ' join' : ' left join')} ${raw(`${OBJECTS} ${KEYS}`)}
    on ${raw(`${KEYS}.type`)} = ${resource.type} and ${raw(`${KEYS}.part`)} = 0 and ${raw(`${KEYS}.id`)} = ${rowId}`;

export const direction = (isDescending: boolean): Sql => raw(isDescending ? ' desc' : ' asc');

export function placeIn([id, ...values]: Row, keys: readonly Key[]): Place {
  let at = 0;
  return {
    id: String(id),
    keys: keys.map(({ selected }) => {
      const own = values.slice(at, (at += selected.length));
      return own[0] === null || own[0] === undefined
        ? null
        : own.map((value) => (isNumber(value) ? Number(value) : String(value)));
    }),
  };
}

/** PostgreSQL gives large whole numbers as texts. */
const isNumber = (value: SqlValue): boolean =>
  typeof value === 'number' || typeof value === 'bigint';

/** The condition that a row with a value comes after a place with one. */
export function laterThan(
  { columns, documentId, isDescending, bind }: Key,
  after: Place | null,
): Sql {
  const [place] = after?.keys ?? [];
  if (!after || !place) return ALWAYS;
  const values = join([...place.map((value) => sql`${bind(value)}`), sql`${after.id}`]);
  return sql`(${join([...columns, documentId])}) ${raw(isDescending ? '<' : '>')} (${values})`;
}
