/**
 * What the service asks of knex and of Strapi's database beyond their types: the raw connection to
 * write on, knex's own or that of the transaction under way, and how it was configured. The one
 * place that leans on these internals; a test fails when they move.
 */
import type { Core } from '@strapi/strapi';

interface KnexClient {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  readonly connectionSettings: { readonly filename?: string };
}

const clientOf = (strapi: Core.Strapi): KnexClient =>
  (strapi.db.connection as unknown as { client: KnexClient }).client;

/** Runs an action on a connection of knex's pool, which gets it back. */
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

/** Runs an action on the connection of the `strapi.db.transaction` that is under way. */
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

/** Runs an effect after the commit of the `strapi.db.transaction` that is under way, if there is one. */
export function whenCommitted(strapi: Core.Strapi, effect: () => void): void {
  if (!strapi.db.inTransaction()) return effect();
  void strapi.db.transaction(({ onCommit }: { onCommit: (effect: () => void) => void }) => {
    onCommit(effect);
    return Promise.resolve();
  });
}

/** The file of a SQLite database. */
export const fileOf = (strapi: Core.Strapi): string =>
  clientOf(strapi).connectionSettings.filename ?? '';
