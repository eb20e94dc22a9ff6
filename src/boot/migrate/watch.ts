/** What a start does to a database: the statements of each migration, and of Strapi's sync of the schema. */
import type { Core } from '@strapi/strapi';
import { bare } from '../release';
import { LOCK_QUERIES, watchLocks, type TableLock } from './locks';
import { ranOf, changedRows, statementText } from './statement';

/** A statement without its values, and the sum of all its runs. */
export interface Ran {
  readonly text: string;
  count: number;
  /** Rows that were inserted, changed or deleted; null for one that changes no rows but tables. */
  rows: number | null;
  /** Milliseconds. */
  time: number;
}

/** A migration that has run, or the sync of Strapi's schema. */
export interface MigrationStep {
  readonly name: string;
  /** What it has changed, in the order of the first runs. */
  readonly statements: readonly Ran[];
  /** What it has only read. */
  readonly reads: { readonly count: number; readonly time: number };
  /** On PostgreSQL, of tables that were there before. */
  readonly locks: readonly TableLock[];
  /** Milliseconds by the clock. */
  readonly time: number;
}

/** The name of the step in which Strapi compares the tables with its types. */
export const SYNC = "Strapi's sync of its tables";

/** The insert with which Strapi notes that a step is done. */
const NOTED =
  /^insert into ["`](strapi_migrations|strapi_migrations_internal|strapi_database_schema)["`]/;

/** What Strapi had noted of its tables before. */
const FORGOTTEN = /^delete from ["`]strapi_database_schema["`]/;

interface Query {
  readonly __knexQueryUid: string;
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly response?: unknown;
}

/** Watches a Strapi whose database has not been used. @returns the steps, as they end */
export function watchStart(strapi: Core.Strapi): readonly MigrationStep[] {
  const { connection } = strapi.db;
  const steps: MigrationStep[] = [];
  let open = openStep();
  const started = new Map<string, number>();
  // An error would tell the values of its statement.
  (connection.client as { config: { compileSqlOnError?: boolean } }).config.compileSqlOnError =
    false;
  watchLocks(connection, (locks) => open.locks.push(...locks));
  connection.on('query', ({ sql, __knexQueryUid: id }: Query) => {
    // Each step is a transaction, and noted behind it.
    if (/^begin/i.test(sql)) open = openStep();
    started.set(id, performance.now());
  });
  connection.on('query-response', (_rows: unknown, query: Query) => {
    const { sql, __knexQueryUid: id } = query;
    const time = performance.now() - (started.get(id) ?? performance.now());
    started.delete(id);
    const noted = NOTED.exec(sql)?.[1];
    if (noted === undefined) return addRun(open, query, time);
    const name = noted === 'strapi_database_schema' ? SYNC : nameIn(query.bindings);
    const { since, statements, reads, locks } = open;
    if (name !== SYNC || statements.size > 0)
      steps.push({
        name,
        statements: [...statements.values()],
        reads,
        locks,
        time: performance.now() - since,
      });
    open = openStep();
  });
  return steps;
}

interface OpenStep {
  readonly since: number;
  readonly statements: Map<string, Ran>;
  readonly reads: { count: number; time: number };
  readonly locks: TableLock[];
}

const openStep = (): OpenStep => ({
  since: performance.now(),
  statements: new Map(),
  reads: { count: 0, time: 0 },
  locks: [],
});

function addRun({ statements, reads }: OpenStep, { sql, response }: Query, time: number): void {
  const kind = ranOf(sql);
  if (kind === 'control' || LOCK_QUERIES.has(sql) || FORGOTTEN.test(sql)) return;
  if (kind === 'read') {
    reads.count += 1;
    reads.time += time;
    return;
  }
  const text = statementText(sql);
  const rows = kind === 'rows' ? changedRows(response) : null;
  const ran = statements.get(text);
  if (!ran) {
    statements.set(text, { text, count: 1, rows, time });
    return;
  }
  ran.count += 1;
  ran.time += time;
  if (rows !== null) ran.rows = (ran.rows ?? 0) + rows;
}

/** The name of a migration among the values of the insert that notes it. */
const nameIn = (bindings: readonly unknown[] = []): string =>
  bare(String(bindings.find((value) => typeof value === 'string')));
