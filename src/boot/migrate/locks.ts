/** The locks that transactions take on tables of PostgreSQL, as far as they stop others. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

/** What is needed of a transaction of Knex. */
interface Transaction {
  raw<T>(text: string): PromiseLike<T>;
  commit: (value?: unknown) => Promise<unknown>;
}

export interface TableLock {
  readonly table: string;
  /** As PostgreSQL's documentation names it. */
  readonly mode: string;
  readonly stops: 'reads and writes' | 'writes';
}

/** The modes that stop reads or writes of tables (PostgreSQL's documentation, 13.3.1), the strongest first. */
const MODES: readonly (readonly [name: string, Pick<TableLock, 'mode' | 'stops'>])[] = [
  ['AccessExclusiveLock', { mode: 'ACCESS EXCLUSIVE', stops: 'reads and writes' }],
  ['ExclusiveLock', { mode: 'EXCLUSIVE', stops: 'writes' }],
  ['ShareRowExclusiveLock', { mode: 'SHARE ROW EXCLUSIVE', stops: 'writes' }],
  ['ShareLock', { mode: 'SHARE', stops: 'writes' }],
];

const TABLES = `select cast(oid as text) as oid, relname as name from pg_class
  where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;

const LOCKS = `select cast(relation as text) as oid, mode from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and granted`;

/** What is asked here, and is none of a migration's own statements. */
export const LOCK_QUERIES: ReadonlySet<string> = new Set([TABLES, LOCKS]);

interface Answer<T> {
  readonly rows: readonly T[];
}

type Work = (transaction: Transaction) => Promise<unknown>;

interface Context {
  transaction(work?: Work, config?: object): Promise<unknown>;
}

/**
 * Looks at the end of each transaction which locks it holds on tables that were there before it, those that it has dropped
 * as well. Does nothing on SQLite, which has no locks of tables.
 */
export function watchLocks(connection: Knex, found: (locks: readonly TableLock[]) => void): void {
  if ((connection.client as { config: { client: string } }).config.client === 'better-sqlite3')
    return;
  const { context } = connection as unknown as { context: Context };
  const begin = context.transaction.bind(context);
  context.transaction = async (work, config) => {
    if (typeof work === 'function')
      return begin(async (transaction) => {
        const tables = await tablesOf(transaction);
        const result = await work(transaction);
        found(await locksOf(transaction, tables));
        return result;
      }, config);
    const transaction = (await begin(work, config)) as Transaction;
    const tables = await tablesOf(transaction);
    const { commit } = transaction;
    transaction.commit = async (value) => {
      found(await locksOf(transaction, tables));
      return commit(value);
    };
    return transaction;
  };
}

async function tablesOf(transaction: Transaction): Promise<ReadonlyMap<string, string>> {
  const { rows } = await transaction.raw<Answer<{ oid: string; name: string }>>(TABLES);
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

async function locksOf(
  transaction: Transaction,
  tables: ReadonlyMap<string, string>,
): Promise<TableLock[]> {
  const { rows } = await transaction.raw<Answer<{ oid: string; mode: string }>>(LOCKS);
  const strongest = new Map<string, TableLock>();
  for (const [name, mode] of MODES)
    for (const { oid } of rows.filter((row) => row.mode === name)) {
      const table = tables.get(oid);
      if (table !== undefined && !strongest.has(oid)) strongest.set(oid, { table, ...mode });
    }
  return [...strongest.values()];
}
