/** Compares stored rows with what they should be: in PostgreSQL itself, which knows its types; those of SQLite here. */
import type { Dialect } from './database';
import { amongRows } from './row-ids';
import { join, raw, sql, type Sql, type SqlValue } from './sql';
import { ask, type Row, type Work } from './work';

/** The rows that a table should have of some objects. */
export interface ExpectedRows {
  readonly table: string;
  /** The columns of each row: the ID of the object's row first, with the next ones (`keys` in all) it tells rows apart. */
  readonly columns: readonly string[];
  readonly keys: number;
  readonly rows: readonly (readonly SqlValue[])[];
  /** Which rows of the table `k` are meant, beside those of the objects. */
  readonly where?: Sql;
}

/** Those of these objects, by the IDs of their rows, of which other rows are stored. It only reads. */
export function* differingRows(
  expected: ExpectedRows,
  ids: readonly SqlValue[],
  dialect: Dialect,
): Work<SqlValue[]> {
  if (ids.length === 0) return [];
  const types = dialect.columnTypes?.(expected.table);
  const differing = new Set(yield* otherNumber(expected, ids, dialect));
  const others = types
    ? yield* comparedThere(expected, dialect, yield* ask(types))
    : yield* comparedHere(expected, ids, dialect);
  for (const id of others) differing.add(id);
  return [...differing];
}

const storedOf = ({ table, columns, where }: ExpectedRows, ids: readonly SqlValue[], d: Dialect) =>
  sql`from ${raw(`${table} k`)} where ${raw(`k.${columns[0]}`)} ${amongRows(ids, d)}${where ? sql` and ${where}` : raw('')}`;

/** Those with more rows, or fewer. */
function* otherNumber(
  expected: ExpectedRows,
  ids: readonly SqlValue[],
  dialect: Dialect,
): Work<number[]> {
  const id = raw(`k.${expected.columns[0]}`);
  const stored = yield* ask(
    sql`select ${id}, count(*) ${storedOf(expected, ids, dialect)} group by ${id}`,
  );
  const counts = new Map(ids.map((one) => [Number(one), 0]));
  for (const [one] of expected.rows) counts.set(Number(one), (counts.get(Number(one)) ?? 0) + 1);
  for (const [one, count] of stored)
    counts.set(Number(one), (counts.get(Number(one)) ?? 0) - Number(count));
  return [...counts].filter(([, difference]) => difference !== 0).map(([one]) => one);
}

function* comparedThere(
  { table, columns, keys, rows, where }: ExpectedRows,
  dialect: Dialect,
  types: readonly Row[],
): Work<number[]> {
  if (rows.length === 0) return [];
  const typeOf = new Map(types.map(([name, type]) => [String(name), String(type)]));
  const list = dialect.jsonRows(
    sql`${JSON.stringify(rows)}`,
    columns.map((name) => ({ name, type: 'text' })),
  );
  const value = (name: string): Sql => raw(`cast(r.${name} as ${typeOf.get(name) ?? 'text'})`);
  const same = columns.slice(0, keys).map((name) => sql`${raw(`k.${name}`)} = ${value(name)}`);
  const other = columns
    .slice(keys)
    .map((name) => sql`${raw(`k.${name}`)} is distinct from ${value(name)}`);
  const found = yield* ask(
    sql`select ${value(columns[0] ?? '')} from ${list} left join ${raw(`${table} k`)} on ${join(same, ' and ')}
        ${where ? sql` and ${where}` : raw('')}
      where ${raw(`k.${columns[0]} is null`)} or ${join(other, ' or ')}`,
  );
  return found.map(([id]) => Number(id));
}

function* comparedHere(
  expected: ExpectedRows,
  ids: readonly SqlValue[],
  dialect: Dialect,
): Work<number[]> {
  const { columns, keys, rows } = expected;
  const names = join(columns.map((name) => raw(`k.${name}`)));
  const stored = yield* ask(sql`select ${names} ${storedOf(expected, ids, dialect)}`);
  const keyOf = (row: readonly SqlValue[]): string =>
    JSON.stringify(row.slice(0, keys).map((one) => (one === null ? null : String(one))));
  const found = new Map(stored.map((row) => [keyOf(row), row]));
  return rows
    .filter((row) => {
      const other = found.get(keyOf(row));
      return !other || row.some((value, at) => !isSame(value, other[at] ?? null));
    })
    .map(([id]) => Number(id));
}

/** SQLite reads decimals of JSON less exactly than they were: the last bit of a number may be another one. */
function isSame(one: SqlValue, other: SqlValue): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (typeof one === 'string' && typeof other === 'string') return false;
  const [a, b] = [Number(one), Number(other)];
  return a === b || Math.abs(a - b) <= Number.EPSILON * 4 * Math.max(Math.abs(a), Math.abs(b));
}
