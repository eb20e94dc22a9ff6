import { join } from 'node:path';
import { Client } from 'pg';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { parseChanges } from '#app/plugins/objects/server/write/history-entries';
import { asObject, type Json } from '../helpers/json';
import type { Stored } from './ledger';

/** Every encounter, as it stands in the table. The casts are the same text in both databases. */
const OBJECTS = `select document_id as id, version, remarks, cast(tags as text) as tags,
  cast(observers as text) as observers, cast(measurements as text) as measurements from encounters`;

const HISTORY = `select object, version, action, changes from oms_history
  where type = 'encounter' order by seq`;

/** Reads all rows directly from the database; a list that is not JSON is an error. */
export async function readStore(env: Readonly<Record<string, string>>): Promise<Stored> {
  const [objects = [], entries = []] = await ask(env, [OBJECTS, HISTORY]);
  return {
    objects: objects.map(asObject).map(({ id, version, remarks, ...lists }) => ({
      id: String(id),
      version: Number(version),
      fields: {
        remarks,
        ...Object.fromEntries(
          Object.entries(lists).map(([name, text]) => [name, JSON.parse(String(text)) as unknown]),
        ),
      },
    })),
    entries: entries.map(asObject).map(({ object, version, action, changes }) => ({
      object: String(object),
      version: Number(version),
      action: String(action),
      after: Object.fromEntries(
        parseChanges(String(changes)).map(({ path, after }) => [path, after as Json]),
      ),
    })),
  };
}

/** The photographs that are stored, and the names of files that are on the list of what is to be removed. */
export interface StoredPhotographs {
  readonly rows: readonly { readonly id: string; readonly files: string }[];
  readonly listed: readonly string[];
}

export async function readPhotographs(
  env: Readonly<Record<string, string>>,
): Promise<StoredPhotographs> {
  const [rows = [], listed = []] = await ask(env, [
    'select document_id as id, file_key as files from assets',
    'select files from oms_asset_files',
  ]);
  return {
    rows: rows.map(asObject).map(({ id, files }) => ({ id: String(id), files: String(files) })),
    listed: listed.map(asObject).map(({ files }) => String(files)),
  };
}

/** The faults that SQLite's own check of its file finds; PostgreSQL has no such check without an extension. */
export async function integrityOf(env: Readonly<Record<string, string>>): Promise<unknown> {
  if (env['DATABASE_URL'] !== undefined) return 'ok';
  const [[integrity] = [], foreignKeys = []] = await ask(env, [
    'pragma integrity_check',
    'pragma foreign_key_check',
  ]);
  return foreignKeys.length === 0 ? asObject(integrity)['integrity_check'] : foreignKeys;
}

/**
 * Writes what SQLite's log holds into the database and empties the log, which may otherwise be 64 MiB long.
 * PostgreSQL's files belong to other processes than the service.
 */
export function emptyLog({
  DATABASE_URL,
  OMS_DATA_DIR = '',
}: Readonly<Record<string, string>>): void {
  if (DATABASE_URL !== undefined) return;
  const Driver = sqliteDriver();
  const file = new Driver(join(OMS_DATA_DIR, 'db.sqlite'));
  try {
    file.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    file.close();
  }
}

/** The rows of each question, all seen at one moment. */
export async function ask(
  { DATABASE_URL, OMS_DATA_DIR = '' }: Readonly<Record<string, string>>,
  questions: readonly string[],
): Promise<unknown[][]> {
  if (DATABASE_URL === undefined) {
    const Driver = sqliteDriver();
    const file = new Driver(join(OMS_DATA_DIR, 'db.sqlite'), { readonly: true });
    try {
      file.exec('begin');
      return questions.map((question) => file.prepare(question).all());
    } finally {
      file.close();
    }
  }
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const answers: unknown[][] = [];
    for (const question of questions) answers.push((await client.query(question)).rows);
    return answers;
  } finally {
    await client.end();
  }
}
