/** Inserts of many rows, whose values are parameters: both databases read them faster than a JSON list. */
import { raw, sql, Sql, type SqlValue, type Statement } from './sql';

/**
 * The statements that insert rows, in their order. Their texts are few, so that they are kept prepared.
 *
 * @param into the table and its columns: `history (id, at)`
 * @param rows at least one; all of the same length
 * @param first the name of their first column, if the statements give its value and the row's ID of each row
 */
export type InsertRows = (
  into: string,
  rows: readonly (readonly SqlValue[])[],
  first?: string,
) => Statement[];

/**
 * The statement that inserts one row and gives the value of its first column and the row's ID.
 *
 * @param insert its text, which is kept prepared
 * @param first the name of its first column
 */
export type InsertRow = (insert: Sql, first: string, values: readonly SqlValue[]) => Statement;

/** Rows of one statement: reads wait for it, some milliseconds. */
const EACH = 50;

/** Texts by what they insert, and the number of rows. */
type Texts = Map<string, Sql>;

function textOf(texts: Texts, into: string, width: number, height: number, end: string): Sql {
  const key = `${into} ${height} ${end}`;
  const known = texts.get(key);
  if (known) return known;
  const between = Array.from({ length: width * height - 1 }, (_, at) =>
    (at + 1) % width === 0 ? '), (' : ', ',
  );
  const made = new Sql([`insert into ${into} values (`, ...between, `) ${end}`], []);
  texts.set(key, made);
  return made;
}

const eachTexts: Texts = new Map();

/**
 * SQLite: a statement of one row, run once for each. Not with `returning`: for it SQLite copies each page before it is
 * changed.
 */
export const insertEach: InsertRows = (into, rows, first) => {
  const sql = textOf(eachTexts, into, rows[0]?.length ?? 0, 1, '');
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length; at += EACH) {
    const each = rows.slice(at, at + EACH);
    statements.push({ sql, values: [], each, ...(first === undefined ? {} : { givesIds: true }) });
  }
  return statements;
};

export const insertGivingId: InsertRow = (insert, _, values) => ({
  sql: insert,
  values: [],
  each: [values],
  givesIds: true,
});

const returningTexts = new WeakMap<Sql, Sql>();

export const insertReturning: InsertRow = (insert, first, values) => {
  const known = returningTexts.get(insert);
  const returning = known ?? sql`${insert} returning ${raw(first)}, id`;
  if (!known) returningTexts.set(insert, returning);
  return { sql: returning, values };
};

/** A statement of PostgreSQL has at most 65,535 parameters. */
const MOST_TOGETHER = 128;
const MOST_PARAMETERS = 16_384;

const togetherTexts: Texts = new Map();

/** Rows that one statement takes, whatever their number: that of a transaction of few changes. */
const FEW = 16;

/** PostgreSQL: all of few rows in one statement; of many, as many as a power of two in each. */
export const insertTogether: InsertRows = (into, rows, first) => {
  const end = first === undefined ? '' : `returning ${first}, id`;
  const width = rows[0]?.length ?? 0;
  const most = Math.min(MOST_TOGETHER, 2 ** Math.floor(Math.log2(MOST_PARAMETERS / width)));
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length;) {
    const left = rows.length - at;
    const height = Math.min(most, left <= FEW ? left : 2 ** Math.floor(Math.log2(left)));
    // Faster than `flat`.
    const values: SqlValue[] = [];
    for (const row of rows.slice(at, at + height)) for (const value of row) values.push(value);
    statements.push({ sql: textOf(togetherTexts, into, width, height, end), values });
    at += height;
  }
  return statements;
};
