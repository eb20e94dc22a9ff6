/**
 * Copies a SQLite database into an empty PostgreSQL: all of it, or nothing. While it runs, and after it was killed, the new
 * database has a table that keeps services from starting on it; a copy begins anew there.
 */
import type { Core } from '@strapi/strapi';
import type { Client } from 'pg';
import { StartError } from '../../core/start-error';
import { objectsOf } from '../../plugins/objects/server';
import {
  sqliteDriver,
  type SqliteHandle,
} from '../../plugins/objects/server/database/sqlite-driver';
import { openBeside } from '../beside';
import { boot } from '../boot';
import { expectThisRelease } from '../check/declared';
import { connect } from '../database';
import { takeWriterLock } from '../writer-lock';
import { copyRows, setSequences, sumOf, type Sum } from './load';
import { COPY_MARKER } from './marker';
import { emptyTarget, prepareTarget } from './target';
import { isComputed, tablesOf, type CopiedTable } from './tables';

/** What was copied, by table; and rows of what is kept of objects that were not as they are computed. */
export interface Copied {
  readonly tables: readonly (readonly [name: string, sum: Sum])[];
  readonly mended: ReadonlyMap<string, number>;
}

/**
 * @param file of SQLite, which no service may be using
 * @param url of PostgreSQL
 * @throws StartError when the new database is not empty, or a value cannot be copied; it is empty then
 */
export async function copyDatabase(file: string, url: string): Promise<Copied> {
  const lock = takeWriterLock(file);
  try {
    const beside = await openBeside({ client: 'sqlite', file });
    try {
      await expectThisRelease(beside);
    } finally {
      await beside.close();
    }
    const target = await connect(url);
    try {
      await prepareTarget(target, '--to');
      try {
        return await copyInto(file, url, target);
      } catch (error) {
        await emptyTarget(target);
        throw error;
      }
    } finally {
      await target.end();
    }
  } finally {
    lock.release();
  }
}

async function copyInto(file: string, url: string, target: Client): Promise<Copied> {
  process.env.DATABASE_CLIENT = 'postgres';
  process.env.DATABASE_URL = url;
  await started(() => Promise.resolve());
  const source = new (sqliteDriver())(file, { readonly: true, fileMustExist: true });
  let tables: Copied['tables'];
  try {
    source.exec('begin');
    tables = await load(source, target);
  } finally {
    source.close();
  }
  // What searches use is computed of what was copied.
  const changed = await started((strapi) => objectsOf(strapi).rebuild());
  await target.query(`drop table ${COPY_MARKER}`);
  return {
    tables,
    mended: new Map([...changed].filter(([name, rows]) => rows > 0 && !isComputed(name))),
  };
}

/** Work with a service of this release on the new database, which makes its tables at first. */
async function started<T>(work: (strapi: Core.Strapi) => Promise<T>): Promise<T> {
  const service = await boot({
    listen: false,
    announce: () => undefined,
    accepted: { copy: 'unfinished' },
  });
  try {
    return await work(service.strapi);
  } finally {
    await service.close();
  }
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const FOREIGN_KEYS = `select conrelid::regclass::text as table, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;

async function load(source: SqliteHandle, target: Client): Promise<Copied['tables']> {
  const tables = await tablesOf(source, target);
  await target.query('begin');
  const { rows: keys } = await target.query<ForeignKey>(FOREIGN_KEYS);
  for (const { table, name } of keys)
    await target.query(`alter table ${table} drop constraint ${name}`);
  await target.query(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  const sums: [string, Sum][] = [];
  for (const table of tables) {
    const read = await copyRows(source, target, table);
    await expectEqual(table, read, target);
    sums.push([table.name, read]);
  }
  await setSequences(source, target, tables);
  for (const { table, name, definition } of keys)
    await target
      .query(`alter table ${table} add constraint ${name} ${definition}`)
      .catch((error: unknown) => {
        throw new StartError(
          `${table} has rows that refer to what is not there (${name}): npm run check names them. Nothing has been copied.`,
          { cause: error },
        );
      });
  await target.query('commit');
  return sums;
}

async function expectEqual(table: CopiedTable, read: Sum, target: Client): Promise<void> {
  const found = await sumOf(target, table);
  if (found.equals(read)) return;
  throw new StartError(
    `${table.name} is not what was read: ${found.rows} of ${read.rows} rows, with the hash ${found.hash} and not ${read.hash}. Nothing has been copied.`,
  );
}
