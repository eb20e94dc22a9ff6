/**
 * The order of what a search finds: by its sort keys, what has none last, and by ID in the direction of the last key, so
 * that the order is total.
 */
import { ALWAYS, anyOf, join, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Cut, Place } from '../language/sort';
import type { PageScan } from '../plan/plan';
import type { Scan, WordsScan } from '../plan/scans';
import { nearest, untimed } from '../conditions/key-order';
import {
  direction,
  keyOf,
  keysJoined,
  laterThan,
  needsKeys,
  placeIn,
  type Key,
} from '../conditions/sort-keys';
import { allOf, withoutIndex, type Selection, type Source } from '../conditions/source';

export interface Page {
  /** The statement. */
  readonly sql: Sql;
  /** The place of a row that it gives. */
  readonly place: (row: Row) => Place;
}

export interface PageOptions {
  /** Whether rows are met in their order, as is best for many of them, or collected and sorted. */
  readonly order: PageScan['order'];
  /** What is selected of each row after its place. */
  readonly beside?: readonly Sql[];
  /** The number of rows at most as SQL, where it depends on something else. */
  readonly most?: (rows: number) => Sql;
}

const literally = (rows: number): Sql => raw(String(rows));

/** Rows in their order, from a place on. */
export function pageOf(rows: Scan | WordsScan, cut: Cut, options: PageOptions): Page {
  const { source, where } = rows;
  const { order, beside = [], most = literally } = options;
  const isMet = order === 'met';
  const keys = cut.sort.map((one) => keyOf(source, one, isMet));
  const [only] = keys;
  const stream = isMet && 'key' in rows ? rows.key : null;
  const part = { source, where, ...cut, isMet, stream, beside, most };
  return {
    sql: keys.length === 1 && only ? byOneKey(part, only) : byKeys(part, keys),
    place: (row) => placeIn(row, keys),
  };
}

/** A part of all rows in their order. */
interface Part extends Selection, Cut, Required<Omit<PageOptions, 'order'>> {
  readonly isMet: boolean;
  /** Where rows are met in the order of their keys: the key of the row that is met. */
  readonly stream: Sql | null;
}

/** The end of a `select`. */
const cutOf = ({ limit, offset, most }: Part): Sql => sql` limit ${most(limit)} offset ${offset}`;

/** Rows that are met in their order. */
function met(shown: readonly Sql[], by: readonly Sql[], rows: Sql, to: Sql, most: Sql): Sql {
  const order = join(by.map((column) => sql`${column}${to}`));
  return sql`select * from (select ${join(shown)} ${rows} order by ${order}${most}) w`;
}

/** Rows that are collected first, and then sorted. */
function collected(
  { dialect }: Source,
  shown: readonly Sql[],
  by: readonly Sql[],
  rows: Sql,
  to: Sql,
  most: Sql,
): Sql {
  const [columns, keys] = [
    shown.map((column, at) => [raw(`c${at}`), column] as const),
    by.map((column, at) => [raw(`k${at}`), column] as const),
  ];
  const named = join([...columns, ...keys].map(([name, column]) => sql`${column} as ${name}`));
  const order = join(keys.map(([name]) => sql`${name}${to}`));
  return sql`select * from (select ${join(columns.map(([name]) => name))}
    from (${dialect.collected(sql`select ${named} ${rows}`)}) q order by ${order}${most}) w`;
}

/** First what has a value, by an index that has this order, then what has none. */
function byOneKey(part: Part, key: Key): Sql {
  const { columns, selected, isDescending, documentId, has, hasNone } = key;
  const { source, where, after, sort, isMet, stream, beside } = part;
  const from = source.from(where, ...selected, ...columns, has, ...beside);
  const to = direction(isDescending);
  const compare = raw(isDescending ? '<' : '>');
  const all = [...columns, documentId];
  const [place] = after?.keys ?? [];
  const isInFirst = after === null || place !== null;
  const later = laterThan(key, after);
  const last = part.limit + part.offset;
  const most = sql` limit ${part.most(last)}`;
  const isJoined = needsKeys(source, sort);
  const [inner, outer] = isJoined
    ? [keysJoined(source, true), keysJoined(source, false)]
    : [raw(''), raw('')];
  const sorted = (shown: readonly Sql[], by: readonly Sql[], rows: Sql): Sql =>
    isMet ? met(shown, by, rows, to, most) : collected(source, shown, by, rows, to, most);
  const conditions = allOf([has, later, where]);
  const near = stream
    ? nearest(stream, sql`from ${from} where ${conditions}`, isDescending, place ?? null, last)
    : ALWAYS;
  const first = sorted(
    [documentId, ...selected, ...beside],
    all,
    sql`from ${from}${inner} where ${allOf([conditions, near])}`,
  );
  // With the types of the first part.
  const nothing = selected.map((column) => sql`case when 1 = 0 then ${column} end`);
  const further = isInFirst ? ALWAYS : sql`${documentId} ${compare} ${after?.id ?? ''}`;
  const hasNoneLater = allOf([hasNone, further, where, stream ? untimed(stream) : ALWAYS]);
  const second = sorted(
    [documentId, ...nothing, ...beside],
    [documentId],
    sql`from ${from}${outer} where ${hasNoneLater}`,
  );
  return isInFirst
    ? sql`select * from (${first} union all ${second}) u${cutOf(part)}`
    : sql`${second}${cutOf(part)}`;
}

/** Any number of keys: a sort of all that is found, but for the order by ID alone, in which rows may be met. */
function byKeys(part: Part, keys: readonly Key[]): Sql {
  const { source, where, after, sort, beside } = part;
  const { documentId } = source;
  const needed = keys.flatMap(({ has, columns }) => [has, ...columns]);
  const from = source.from(where, ...needed, ...beside);
  const isDescending = keys.at(-1)?.isDescending ?? false;
  const parts = keys.flatMap(({ has, columns, isDescending: down }) => [
    sql`case when ${has} then 0 else 1 end`,
    ...columns.map((column) => sql`case when ${has} then ${column} end${direction(down)}`),
  ]);
  const order = join([...parts, sql`${documentId}${direction(isDescending)}`]);
  const shown = keys.flatMap(({ has, selected }) =>
    selected.map((column) => sql`case when ${has} then ${column} end`),
  );
  const joined = needsKeys(source, sort) ? keysJoined(source, false) : raw('');
  const later = after ? afterPlace(keys, after, documentId, isDescending) : ALWAYS;
  if (keys.length === 0 && !part.isMet) {
    // The order of IDs has an index, which SQLite would go through to the end, as it knows not how few are found.
    const rows = sql`from ${from} where ${allOf([where, withoutIndex(later)])}`;
    const by = sql`coalesce(${documentId}, '')`;
    return collected(source, [documentId, ...beside], [by], rows, raw(' asc'), cutOf(part));
  }
  return sql`select ${join([documentId, ...shown, ...beside])} from ${from}${joined}
    where ${allOf([where, later])} order by ${order}${cutOf(part)}`;
}

/** The condition that a row comes after a place. */
function afterPlace(
  keys: readonly Key[],
  { keys: places, id }: Place,
  documentId: Sql,
  isDescending: boolean,
): Sql {
  const conditions: Sql[] = [];
  let same: readonly Sql[] = [];
  for (const [at, { has, columns, isDescending: down, bind }] of keys.entries()) {
    const values = places[at] ?? null;
    const hasNone = sql`case when ${has} then 0 else 1 end = 1`;
    if (values === null) {
      same = [...same, hasNone];
      continue;
    }
    conditions.push(allOf([...same, hasNone]));
    same = [...same, has];
    for (const [n, column] of columns.entries()) {
      const value = bind(values[n] ?? 0);
      conditions.push(allOf([...same, sql`${column} ${raw(down ? '<' : '>')} ${value}`]));
      same = [...same, sql`${column} = ${value}`];
    }
  }
  conditions.push(allOf([...same, sql`${documentId} ${raw(isDescending ? '<' : '>')} ${id}`]));
  return anyOf(conditions);
}
