import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** A database of its own and a data directory, as variables of the service. */
export interface FreshDatabase {
  readonly dataDir: string;
  /** The source for copies while it is not in use: its file, or its name. */
  readonly source: string;
  readonly env: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

/** The database that the suite runs on: SQLite, or PostgreSQL with OMS_TEST_DATABASE=postgres. */
export const testDatabase = process.env.OMS_TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

/** The servers for test databases, in this order: a given one, the usual socket, the usual port. */
const SERVERS = process.env.OMS_TEST_POSTGRES_URL
  ? [process.env.OMS_TEST_POSTGRES_URL]
  : ['root', 'postgres'].flatMap((user) => [
      `postgres:///postgres?host=/var/run/postgresql&user=${user}`,
      `postgres://${user}@127.0.0.1:5432/postgres`,
    ]);

/** Where the database is that the others are copies of: a file, or the name of a database. Set by `template.ts`. */
export const TEMPLATE = 'OMS_TEST_TEMPLATE';

/**
 * Creates the database of a test file: with the tables of the first start, and without records. An unavailable
 * PostgreSQL is an error, never a reason to skip.
 */
export const freshDatabase = (): Promise<FreshDatabase> => makeDatabase(process.env[TEMPLATE]);

/** An empty database: the service creates its tables. */
export const emptyDatabase = (): Promise<FreshDatabase> => makeDatabase(undefined);

async function makeDatabase(template: string | undefined): Promise<FreshDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'oms test '));
  const dropFolder = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const env = { OMS_DATA_DIR: dataDir };
  if (testDatabase === 'sqlite') {
    const source = join(dataDir, 'db.sqlite');
    if (template !== undefined) await copyFile(template, source);
    return { dataDir, source, env, drop: dropFolder };
  }
  const server = await connect();
  const name = `oms_test_${randomBytes(6).toString('hex')}`;
  await server.client.query(`CREATE DATABASE ${name} TEMPLATE ${template ?? 'template1'}`);
  // What is lost with the server alone need not be on its disk (torture/cluster.ts has a server that dies).
  await server.client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  return {
    dataDir,
    source: name,
    env: { ...env, DATABASE_CLIENT: 'postgres', DATABASE_URL: databaseUrl(server.url, name) },
    async drop() {
      await server.client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.client.end();
      await dropFolder();
    },
  };
}

async function connect(): Promise<{ client: Client; url: string }> {
  const failures: string[] = [];
  for (const url of SERVERS) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return { client, url };
    } catch (error) {
      failures.push(`${url}: ${String(error)}`);
    }
  }
  throw new Error(`No PostgreSQL answers; set OMS_TEST_POSTGRES_URL.\n${failures.join('\n')}`);
}

/** The same server, another database: the path of the address. */
function databaseUrl(server: string, name: string): string {
  return server.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
}
