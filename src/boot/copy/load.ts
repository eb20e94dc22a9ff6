/** Copies rows, and compares what has come with what was read. */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { errorText, StartError } from '../../core/start-error';
import type { SqliteHandle } from '../../plugins/objects/server/database/sqlite-driver';
import type { CopiedTable } from './tables';
import type { Converted, Given } from './values';

/** Values of one statement, of which PostgreSQL takes 65,535; rows that are read back at once. */
const VALUES = 20_000;
const PAGE = 1000;

const quoted = (name: string): string => `"${name}"`;
const listOf = (names: readonly string[]): string => names.map(quoted).join(', ');

/** The number of rows of a table, and a hash that does not depend on their order: the sum of those of all rows. */
export class Sum {
  rows = 0;
  private total = 0n;

  add(values: readonly (string | null)[]): void {
    const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
    this.total = (this.total + BigInt(`0x${hash}`)) % (1n << 256n);
    this.rows += 1;
  }

  get hash(): string {
    return this.total.toString(16).padStart(64, '0');
  }

  equals({ rows, hash }: Sum): boolean {
    return this.rows === rows && this.hash === hash;
  }
}

/** @returns what was read @throws StartError with the table, the column and the row of a value that cannot be copied */
export async function copyRows(
  source: SqliteHandle,
  target: Client,
  table: CopiedTable,
): Promise<Sum> {
  const { name, columns } = table;
  const sum = new Sum();
  const list = listOf(columns.map((column) => column.name));
  const size = Math.max(1, Math.floor(VALUES / columns.length));
  const statement = source.prepare<[], Given[]>(`select ${list} from ${quoted(name)}`);
  let pending: Converted['value'][] = [];
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    const rows = pending.length / columns.length;
    const places = Array.from({ length: rows }, (_, row) => {
      const values = columns.map((_column, at) => `$${row * columns.length + at + 1}`);
      return `(${values.join()})`;
    });
    await target.query(
      `insert into ${quoted(name)} (${list}) overriding system value values ${places.join()}`,
      pending,
    );
    pending = [];
  };
  for (const row of statement.raw().safeIntegers().iterate()) {
    const converted = row.map((given, at) => convert(table, row, given, at));
    sum.add(converted.map(({ text }) => text));
    for (const { value } of converted) pending.push(value);
    if (pending.length >= size * columns.length) await flush();
  }
  await flush();
  return sum;
}

const NOTHING: Converted = { value: null, text: null };

function convert(
  { name, columns, key }: CopiedTable,
  row: readonly Given[],
  given: Given,
  at: number,
) {
  const column = columns[at];
  if (given === null || !column) return NOTHING;
  try {
    return column.convert(given);
  } catch (error) {
    const ids = key.map((one) => {
      const place = columns.findIndex((other) => other.name === one);
      return `${one} ${String(row[place])}`;
    });
    throw new StartError(
      `${name}.${column.name} of the row ${ids.join(', ')} cannot be copied: it ${errorText(error)}. Nothing has been copied; correct it, and copy again.`,
    );
  }
}

/** What has come. In a transaction. */
export async function sumOf(target: Client, { name, columns }: CopiedTable): Promise<Sum> {
  const sum = new Sum();
  const list = columns.map((column) => `${quoted(column.name)}::text`).join(', ');
  await target.query(`declare rows_of no scroll cursor for select ${list} from ${quoted(name)}`);
  for (let isMore = true; isMore;) {
    const { rows } = await target.query<(string | null)[]>({
      text: `fetch ${PAGE} from rows_of`,
      rowMode: 'array',
    });
    for (const row of rows)
      sum.add(
        row.map((text, at) => (text === null ? null : (columns[at]?.comparable(text) ?? null))),
      );
    isMore = rows.length === PAGE;
  }
  await target.query('close rows_of');
  return sum;
}

/** The next IDs come after all that there have been. */
export async function setSequences(
  source: SqliteHandle,
  target: Client,
  tables: readonly CopiedTable[],
): Promise<void> {
  const hasOwn = source.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get();
  for (const { name, columns } of tables)
    for (const { name: column } of columns) {
      const { rows } = await target.query<{ sequence: string | null }>(
        'select pg_get_serial_sequence($1, $2) as sequence',
        [`public.${quoted(name)}`, column],
      );
      const sequence = rows[0]?.sequence ?? null;
      if (sequence === null) continue;
      const last = hasOwn
        ? source
            .prepare<[string], bigint>('select seq from sqlite_sequence where name = ?')
            .pluck()
            .safeIntegers()
            .get(name)
        : undefined;
      await target.query(
        `select setval($1::regclass, greatest((select max(${quoted(column)}) from ${quoted(name)}), $2::bigint, 1),
          (select count(*) > 0 from ${quoted(name)}) or $2::bigint > 0)`,
        [sequence, String(last ?? 0n)],
      );
    }
}
