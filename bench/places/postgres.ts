import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { Client, type QueryArrayResult } from 'pg';
import { newFolder, type Place } from './place';

/** The servers on which databases are created: a given one, or the local one. */
const SERVERS = process.env.OMS_TEST_POSTGRES_URL
  ? [process.env.OMS_TEST_POSTGRES_URL]
  : ['root', 'postgres'].flatMap((user) => [
      `postgres:///postgres?host=/var/run/postgresql&user=${user}`,
      `postgres://${user}@127.0.0.1:5432/postgres`,
    ]);

/** Creates an empty place: a folder, and a database on a running server. @throws Error when none answers */
export async function postgresPlace(parent: string): Promise<Place> {
  return create(parent, await findServer(), null);
}

async function create(parent: string, server: string, template: string | null): Promise<Place> {
  const name = `oms_bench_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name}${template ? ` template ${template}` : ''}`);
  return placeOf(parent, server, name);
}

function placeOf(parent: string, server: string, name: string): Place {
  const folder = newFolder(parent);
  const url = server.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
  return {
    folder,
    env: { OMS_DATA_DIR: folder, DATABASE_CLIENT: 'postgres', DATABASE_URL: url },
    run: (...statements) => execute(url, ...statements),
    rows: async (statement) => (await query(url, statement)).rows,
    columns: async (table) =>
      (await query(url, `select * from ${table} limit 0`)).fields.map((field) => field.name),
    async copy() {
      // As autovacuum does within a minute: without statistics the plans are those of an empty table.
      await execute(url, 'vacuum analyze');
      const other = await create(parent, server, name);
      // Its secret, too, without which the database does not open.
      cpSync(folder, other.folder, { recursive: true });
      return other;
    },
    async drop() {
      await execute(server, `drop database ${name} with (force)`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function findServer(): Promise<string> {
  const failures: string[] = [];
  for (const server of SERVERS) {
    try {
      await execute(server, 'select 1');
      return server;
    } catch (error) {
      failures.push(`${server}: ${String(error)}`);
    }
  }
  throw new Error(`No PostgreSQL answers; set OMS_TEST_POSTGRES_URL.\n${failures.join('\n')}`);
}

async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

const query = (url: string, text: string): Promise<QueryArrayResult<unknown[]>> =>
  withClient(url, (client) => client.query({ text, rowMode: 'array' }));

async function withClient<T>(url: string, action: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}
