/** Reads one page of the history, the newest entries first, at a cost that does not depend on the size of the history. */
import type { Soon } from '../../../../core/soon';
import type { Database } from '../database/database';
import { amongRows } from '../database/row-ids';
import { bind, join, limitTo, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { HistoryPosition } from './cursor';
import type { HistoryPlan } from './plan';
import { parseChanges, type FieldChange } from '../write/history-entries';

/** An entry as it is stored. */
export interface StoredEntry extends HistoryPosition {
  readonly id: string;
  readonly type: string;
  readonly object: string;
  readonly version: number;
  readonly action: string;
  readonly actor: {
    readonly kind: string;
    readonly id: string | null;
    readonly name: string | null;
  };
  readonly changes: readonly FieldChange[];
}

export interface EntriesPage {
  readonly entries: readonly StoredEntry[];
  /** Where the next page begins; null at the end. */
  readonly next: HistoryPosition | null;
}

/** The entries that are read for one page: more could take seconds, in which SQLite serves no other request. */
const MAX_EXAMINED = 20_000;

/** Bytes of the changes on a page, unless one entry alone has more. */
const MAX_BYTES = 4 * 1024 * 1024;

const ORDERS = { seq: raw('seq desc'), at: raw('at desc, seq desc') } as const;

const COLUMNS = ['seq', 'at', 'id', 'type', 'object', 'version', 'action'];
const ACTOR_COLUMNS = ['actor_kind', 'actor_id', 'actor_name'];
const HEAD = raw([...COLUMNS, ...ACTOR_COLUMNS, 'octet_length(changes) as bytes'].join(', '));

/** @param after where the page begins; null for the first one */
export async function readPage(
  database: Database,
  plan: HistoryPlan,
  limit: number,
  after: HistoryPosition | null,
): Promise<EntriesPage> {
  const isFiltered = plan.checked.length > 0;
  const examined = sql`select ${HEAD} ${from(plan, after)}${limitTo(isFiltered ? MAX_EXAMINED : limit + 1)}`;
  const query = isFiltered
    ? sql`select * from (${examined}) h where ${join(plan.checked, ' and ')}
       order by ${ORDERS[plan.order]}${limitTo(limit + 1)}`
    : examined;
  const rows = await run(database, query);
  const count = Math.min(limit, withinBytes(rows));
  const last = rows[count - 1];
  const isCut = rows.length > count && last !== undefined;
  const entries = await withChanges(database, rows.slice(0, count));
  if (isCut) return { entries, next: positionOf(last) };
  const [further] = isFiltered
    ? await run(
        database,
        sql`select seq, at ${from(plan, after)} limit 1 offset ${MAX_EXAMINED - 1}`,
      )
    : [];
  return { entries, next: further ? positionOf(further) : null };
}

function from({ scanned, order }: HistoryPlan, after: HistoryPosition | null): Sql {
  const conditions = [...scanned, ...(after ? [isAfter(order, after)] : [])];
  const where = conditions.length > 0 ? sql`where ${join(conditions, ' and ')}` : raw('');
  return sql`from oms_history ${where} order by ${ORDERS[order]}`;
}

const isAfter = (order: HistoryPlan['order'], { at, seq }: HistoryPosition): Sql =>
  order === 'seq' ? sql`seq < ${seq}` : sql`(at, seq) < (${at}, ${seq})`;

const run = (database: Database, query: Sql): Soon<readonly Row[]> =>
  database.read({ ...bind(query, {}), isAdHoc: true });

const positionOf = ([seq, at]: Row): HistoryPosition => ({ seq: Number(seq), at: Number(at) });

/** The number of these rows whose changes fit on a page; one at least. */
function withinBytes(rows: readonly Row[]): number {
  let bytes = 0;
  const over = rows.findIndex((row, index) => {
    bytes += Number(row.at(-1));
    return index > 0 && bytes > MAX_BYTES;
  });
  return over === -1 ? rows.length : over;
}

/** The entries of these rows. An entry that has been erased meanwhile is left out. */
async function withChanges(database: Database, rows: readonly Row[]): Promise<StoredEntry[]> {
  if (rows.length === 0) return [];
  const numbers = rows.map(([seq = null]) => seq);
  const found = await database.read(
    sql`select seq, changes from oms_history where seq ${amongRows(numbers, database.dialect)}`,
  );
  const texts = new Map(found.map(([seq, changes]) => [Number(seq), String(changes)]));
  return rows.flatMap((row) => {
    const text = texts.get(Number(row[0]));
    return text === undefined ? [] : [entryOf(row, parseChanges(text))];
  });
}

function entryOf(row: Row, changes: readonly FieldChange[]): StoredEntry {
  const [, , id, type, object, version, action, kind, actor, name] = row;
  const text = (value: Row[number] | undefined): string | null =>
    value === null || value === undefined ? null : String(value);
  return {
    ...positionOf(row),
    id: String(id),
    type: String(type),
    object: String(object),
    version: Number(version),
    action: String(action),
    actor: { kind: String(kind), id: text(actor), name: text(name) },
    changes,
  };
}
