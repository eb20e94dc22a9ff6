/** PostgreSQL's own programs, which write and read the dump of a database. */
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { errorCode, errorText, StartError } from '../../core/start-error';
import { outputOf, start, type Running } from './processes';

type Program = 'pg_dump' | 'pg_restore' | 'psql';

/** The address for a program's arguments, which others may see, and the password for its environment. */
export function connectionOf(url: string): {
  readonly dbname: string;
  readonly env: Readonly<Record<string, string>>;
} {
  const address = new URL(url);
  const password = address.searchParams.get('password') ?? decodeURIComponent(address.password);
  address.searchParams.delete('password');
  address.password = '';
  return { dbname: address.href, env: password === '' ? {} : { PGPASSWORD: password } };
}

/**
 * Checks a program before it is used.
 *
 * @param least the major version that it has to have
 * @param why what has this version: `The server`
 * @throws StartError when it is not installed, or older
 */
export async function expectProgram(program: Program, least: number, why: string): Promise<void> {
  const wanted = `install PostgreSQL's client programs of version ${least} or later, and put them first in PATH`;
  let output: string;
  try {
    output = await outputOf(program, [program, '--version']);
  } catch (error) {
    const reason =
      errorCode(error) === 'ENOENT' ? 'is not installed' : `does not run (${errorText(error)})`;
    throw new StartError(`${program} ${reason}: ${wanted}.`);
  }
  const major = Number(/(\d+)(?:\.\d+)?/.exec(output)?.[1] ?? 0);
  if (major >= least) return;
  throw new StartError(`${program} is of version ${major}, and ${why} is of ${least}: ${wanted}.`);
}

/** The major version of the server that a client is connected to. */
export async function versionOfServer(client: Pick<Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

/** The dump of a database as it is in an exported snapshot, compressed. */
export function dump(url: string, snapshot: string): Running {
  const { dbname, env } = connectionOf(url);
  return start(
    'pg_dump',
    [
      'pg_dump',
      '--format=custom',
      '--no-owner',
      '--no-privileges',
      `--snapshot=${snapshot}`,
      `--dbname=${dbname}`,
    ],
    env,
  );
}

/**
 * Restores a dump and runs statements behind it, all in one transaction: nothing of it is there when any of it fails.
 *
 * @param file the dump
 */
export const restoreDump = (url: string, file: string, statements: string): Promise<void> =>
  loadScript(
    url,
    start('pg_restore', ['pg_restore', '--no-owner', '--no-privileges', '--file=-', file]),
    statements,
  );

/** Copies a database into another one and runs statements behind it, all in one transaction. */
export function copyByDump(url: string, to: string, statements: string): Promise<void> {
  const { dbname, env } = connectionOf(url);
  const script = start(
    'pg_dump',
    ['pg_dump', '--no-owner', '--no-privileges', `--dbname=${dbname}`],
    env,
  );
  return loadScript(to, script, statements);
}

/** @param script prints statements */
async function loadScript(url: string, script: Running, statements: string): Promise<void> {
  const { dbname, env } = connectionOf(url);
  const loader = start(
    'psql',
    [
      'psql',
      '--no-psqlrc',
      '--quiet',
      '--single-transaction',
      '--set=ON_ERROR_STOP=1',
      '--output=/dev/null',
      `--dbname=${dbname}`,
    ],
    env,
    ['pipe', 'ignore', 'pipe'],
  );
  const into = loader.child.stdin as Writable;
  try {
    await pipeline(script.child.stdout as Readable, into, { end: false });
    // Only a script that has been written to its end is committed.
    await script.ended;
    into.end(statements);
  } catch (error) {
    loader.child.kill();
    await loader.ended.catch((cause: unknown) => {
      throw errorText(cause).includes('ended with') ? error : cause;
    });
    throw error;
  }
  await loader.ended;
}
