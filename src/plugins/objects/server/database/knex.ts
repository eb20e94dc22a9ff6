/**
 * The internals of knex and Strapi's database that the service uses beyond their types: the raw connection for writing
 * (knex's own, or that of the current transaction) and its configuration. Used here only; a test fails when they
 * change.
 */
import type { Core } from '@strapi/strapi';
import type { PoolLoad } from '../../../../core/load';

interface KnexClient {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  _query(connection: unknown, given: unknown): Promise<unknown>;
  readonly connectionSettings: { readonly filename?: string };
  /** Of `tarn`. */
  readonly pool: { numUsed(): number; numFree(): number; numPendingAcquires(): number };
}

const clientOf = (strapi: Core.Strapi): KnexClient =>
  (strapi.db.connection as unknown as { client: KnexClient }).client;

/** Runs an action on a connection of knex's pool, and releases it. */
export async function withConnection<C, T>(
  strapi: Core.Strapi,
  action: (connection: C) => T | Promise<T>,
): Promise<T> {
  const client = clientOf(strapi);
  const connection = await client.acquireConnection();
  try {
    return await action(connection as C);
  } finally {
    await client.releaseConnection(connection);
  }
}

const wrapped = new WeakSet<object>();

/** Runs something around each statement of Strapi, on its connection, also where it belongs to a transaction. */
export function aroundStatements<C>(
  strapi: Core.Strapi,
  around: (connection: C, run: () => Promise<unknown>) => Promise<unknown>,
): void {
  // The client of a transaction has the prototype in common, and no more.
  const dialect = Object.getPrototypeOf(clientOf(strapi)) as Pick<KnexClient, '_query'>;
  if (wrapped.has(dialect)) return;
  wrapped.add(dialect);
  const { _query: query } = dialect;
  dialect._query = function (connection, given) {
    return around(connection as C, () => query.call(this, connection, given));
  };
}

/** Runs an action on the connection of the current `strapi.db.transaction`. */
export async function withinTransaction<C, T>(
  strapi: Core.Strapi,
  action: (connection: C) => T | Promise<T>,
): Promise<T> {
  const run = async ({ trx }: { trx: unknown }): Promise<T> => {
    const { client } = trx as { client: KnexClient };
    return action((await client.acquireConnection()) as C);
  };
  return strapi.db.transaction(run);
}

/** Runs an effect after the commit of the current `strapi.db.transaction`, if there is one. */
export function whenCommitted(strapi: Core.Strapi, effect: () => void): void {
  if (!strapi.db.inTransaction()) return effect();
  void strapi.db.transaction(({ onCommit }: { onCommit: (effect: () => void) => void }) => {
    onCommit(effect);
    return Promise.resolve();
  });
}

/** What is in use of knex's pool. */
export function poolLoad(strapi: Core.Strapi): PoolLoad {
  const { pool } = clientOf(strapi);
  return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
}

/** The file of a SQLite database. */
export const fileOf = (strapi: Core.Strapi): string =>
  clientOf(strapi).connectionSettings.filename ?? '';
