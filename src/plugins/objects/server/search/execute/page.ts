/**
 * The order of what a search finds: by its sort keys, what has none last, and by ID in the direction of the last key, so
 * that the order is total.
 */
import { ALWAYS, anyOf, join, limitTo, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Cut, Place } from '../language/sort';
import type { PageScan } from '../plan/plan';
import type { Scan, WordsScan } from '../plan/scans';
import { collected, counted, met, metBehind } from '../conditions/in-order';
import { nearest, untimed } from '../conditions/key-order';
import { fenced, sharedSource } from '../conditions/partitions';
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
  /** The same as two, the second of which is asked where the first does not fill the page; null where it is none. */
  readonly parts: PageParts | null;
  /** The place of a row that it gives. */
  readonly place: (row: Row) => Place;
}

/** Statements for the rows of a page with a value to sort by, and for those without one, which come after them. */
interface PageParts {
  readonly first: Sql;
  readonly second: (rows: number) => Sql;
}

export interface PageOptions {
  /** Whether rows are met in their order, as is best for many of them, or collected and sorted. */
  readonly order: PageScan['order'];
  /** What is selected of each row after its place. */
  readonly beside?: readonly Sql[];
  /** The number of rows at most as SQL, where it depends on something else. */
  readonly most?: (rows: number) => Sql;
  /** Whether the number of all stands before each row, where they are collected. */
  readonly isCounted?: boolean;
}

const literally = (rows: number): Sql => raw(String(rows));

/** Rows in their order, from a place on. */
export function pageOf(rows: Scan | WordsScan, cut: Cut, options: PageOptions): Page {
  const { selections } = rows;
  const { order, beside = [], most = literally, isCounted = false } = options;
  const isMet = order === 'met';
  // Keys are the same in all partitions.
  const source = sharedSource(rows);
  const keys = cut.sort.map((one) => keyOf(source, one, isMet));
  const [only] = keys;
  const stream = isMet && 'key' in rows ? rows.key : null;
  const part = { source, selections, ...cut, isMet, stream, beside, most, isCounted };
  const isByOne = isMet && keys.length === 1 && only;
  return {
    ...(isByOne ? byOneKey(part, only) : { sql: byKeys(part, keys), parts: null }),
    place: (row) => placeIn(row, keys),
  };
}

/** A part of all rows in their order. */
interface Part extends Cut, Required<Omit<PageOptions, 'order'>> {
  readonly source: Source;
  readonly selections: readonly Selection[];
  readonly isMet: boolean;
  /** Where rows are met in the order of their keys: the key of the row that is met. */
  readonly stream: Sql | null;
}

/** The end of a `select`. */
const cutOf = ({ limit, offset, most }: Part): Sql => sql` limit ${most(limit)} offset ${offset}`;

/**
 * The rows of each partition, from `from` on.
 *
 * @param needed what is selected of them
 */
const rowsOf = (
  selections: readonly Selection[],
  needed: readonly Sql[],
  joined: Sql,
  conditions: Sql,
): readonly Sql[] =>
  selections.map(
    ({ source, where }) => sql`from ${source.from(where, ...needed)}${joined}
      where ${allOf([fenced(source, conditions), where])}`,
  );

/** Rows that are met: first those with a value, by an index that has this order, then those without one. */
function byOneKey(part: Part, key: Key): Pick<Page, 'sql' | 'parts'> {
  const { columns, selected, isDescending, documentId, has, hasNone, hasFrom } = key;
  const { source, selections, after, sort, stream, beside } = part;
  const needed = [...selected, ...columns, has, ...beside];
  const to = direction(isDescending);
  const compare = raw(isDescending ? '<' : '>');
  const [place] = after?.keys ?? [];
  const isInFirst = after === null || place !== null;
  const behind = laterThan(key, after);
  const last = part.limit + part.offset;
  const most = sql` limit ${part.most(last)}`;
  const isJoined = needsKeys(source, sort);
  const [inner, outer] = isJoined
    ? [keysJoined(source, true), keysJoined(source, false)]
    : [raw(''), raw('')];
  const near = stream
    ? nearest(
        stream,
        join(rowsOf(selections, needed, raw(''), allOf([has, behind]))),
        isDescending,
        place ?? null,
        last,
      )
    : ALWAYS;
  const shown = [documentId, ...selected, ...beside];
  const order = [...columns, documentId].map((value) => [value, to] as const);
  const rowsThat = (there: Sql, some: readonly Selection[]): readonly Sql[] =>
    rowsOf(some, needed, inner, allOf([there, behind, near]));
  const [one, ...others] = selections;
  const first =
    one && others.length > 0 && isDescending && hasFrom
      ? metBehind(
          shown,
          order,
          join(rowsThat(has, [one])),
          (value) => rowsThat(hasFrom(value), others),
          most,
          last,
        )
      : met(shown, order, rowsThat(has, selections), most);
  // With the types of the first part.
  const nothing = selected.map((column) => sql`case when 1 = 0 then ${column} end`);
  const further = isInFirst ? ALWAYS : sql`${documentId} ${compare} ${after?.id ?? ''}`;
  const hasNoneLater = allOf([hasNone, further, stream ? untimed(stream) : ALWAYS]);
  const second = (end: Sql): Sql =>
    met(
      [documentId, ...nothing, ...beside],
      [[documentId, to]],
      rowsOf(selections, needed, outer, hasNoneLater),
      end,
    );
  if (!isInFirst) return { sql: sql`${second(most)}${cutOf(part)}`, parts: null };
  return {
    sql: sql`select * from (${first} union all ${second(most)}) u${cutOf(part)}`,
    parts: part.offset === 0 ? { first, second: (rows) => second(limitTo(rows)) } : null,
  };
}

/** A sort of all that is found, by any number of keys; but for the order by ID alone, in which rows may be met. */
function byKeys(part: Part, keys: readonly Key[]): Sql {
  const { source, selections, after, sort, beside } = part;
  const { documentId } = source;
  const needed = [...keys.flatMap(({ has, columns }) => [has, ...columns]), ...beside];
  const isDescending = keys.at(-1)?.isDescending ?? false;
  const values = keys.map(({ has, columns, selected, isDescending: down }) => {
    const present = selected.map((column) => sql`case when ${has} then ${column} end`);
    // What is shown as it is stored is one value with what is ordered by.
    const sorted = columns.map((column, at) => {
      const same = column === selected[at] ? present[at] : undefined;
      return same ?? sql`case when ${has} then ${column} end`;
    });
    const none = [sql`case when ${has} then 0 else 1 end`, raw('')] as const;
    return { present, order: [none, ...sorted.map((one) => [one, direction(down)] as const)] };
  });
  const order = values.flatMap((one) => one.order);
  const shown = values.flatMap(({ present }) => present);
  const joined = needsKeys(source, sort) ? keysJoined(source, false) : raw('');
  const later = after ? afterPlace(keys, after, documentId, isDescending) : ALWAYS;
  const most = sql` limit ${part.most(part.limit + part.offset)}`;
  const all = [documentId, ...shown, ...beside];
  const to = direction(isDescending);
  if (!part.isMet) {
    const rows = rowsOf(selections, needed, joined, withoutIndex(later));
    if (part.isCounted) return counted(all, [...order, [documentId, to]], rows, cutOf(part));
    // The order of IDs has an index, which SQLite would go through to the end, as it knows not how few are found.
    const by = [...order, [sql`coalesce(${documentId}, '')`, to] as const];
    return sql`${collected(source.dialect, all, by, rows, most)}${cutOf(part)}`;
  }
  const rows = rowsOf(selections, needed, joined, later);
  return sql`${met(all, [...order, [documentId, to]], rows, most)}${cutOf(part)}`;
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
