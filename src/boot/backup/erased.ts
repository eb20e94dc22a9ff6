/**
 * The accounts that were erased, outside the database: a restored backup has those again that were erased since, and they
 * are erased from it. A list holds the SHA-256 of their IDs, one a line.
 */
import type { Core } from '@strapi/strapi';
import { hash } from 'node:crypto';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from '../../core/caller';
import { errorCode, errorText } from '../../core/start-error';
import { databaseOf, objectsOf } from '../../plugins/objects/server';
import { sql } from '../../plugins/objects/server/database/sql';
import { USERS } from '../../plugins/accounts/server/users/account';
import { sync } from './durable';

/** The name of the list, in the data directory and beside backups. */
export const ERASED = 'erased-accounts';

/** The list of those who are to be erased from a database that was restored. */
export const ERASED_SINCE = 'erased-accounts.due';

const hashOf = (id: string): string => hash('sha256', id, 'hex');

/** The hashes of a list; none where there is no list. */
export async function readErased(file: string): Promise<Set<string>> {
  try {
    const lines = (await readFile(file, 'utf8')).split('\n');
    return new Set(lines.filter((line) => /^[0-9a-f]{64}$/.test(line)));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Set();
    throw error;
  }
}

/** Replaces a list as a whole. */
export async function writeErased(file: string, hashes: ReadonlySet<string>): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, [...hashes].map((one) => `${one}\n`).join(''), { mode: 0o600 });
  await sync(draft);
  await rename(draft, file);
}

/** Adds each account that is erased from now on to the list in the data directory. */
export function noteErased(strapi: Core.Strapi, dataDir: string): void {
  const note = async (id: string): Promise<void> => {
    const [row] = await databaseOf(strapi).read(
      sql`select 1 from ${USERS} where document_id = ${id}`,
    );
    if (row) return;
    const file = join(dataDir, ERASED);
    await appendFile(file, `${hashOf(id)}\n`, { mode: 0o600 });
    await sync(file);
  };
  objectsOf(strapi).onWritten((type, id) => {
    if (type !== 'user') return;
    note(id).catch((error: unknown) =>
      strapi.log.error(
        `${join(dataDir, ERASED)} cannot be written (${errorText(error)}): a restore would bring back an account that was erased now`,
      ),
    );
  });
}

/**
 * Erases those from a restored database who were erased since its backup. To be called before the port opens; who cannot be
 * erased is told in the log, and tried again at the next start.
 *
 * @returns how many were erased
 */
export async function eraseAgain(strapi: Core.Strapi, dataDir: string): Promise<number> {
  const file = join(dataDir, ERASED_SINCE);
  const hashes = await readErased(file);
  let erased = 0;
  let left = 0;
  if (hashes.size > 0) {
    const rows = await databaseOf(strapi).read(sql`select document_id from ${USERS}`);
    for (const id of rows.map(([value]) => String(value))) {
      if (!hashes.has(hashOf(id))) continue;
      try {
        await objectsOf(strapi).write({ op: 'delete', type: 'user', id }, service);
        erased += 1;
      } catch (error) {
        left += 1;
        strapi.log.error(
          `the account ${id} was erased after the backup, and cannot be erased again (${errorText(error)}); delete it yourself`,
        );
      }
    }
  }
  if (left === 0) await rm(file, { force: true });
  return erased;
}
