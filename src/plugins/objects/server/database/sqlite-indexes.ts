/**
 * Indexes that are left out while many rows come into their tables, and made anew afterwards: to sort all keys once is
 * faster than to bring each to its place, and writes each page once. Which these are is kept in the database, so that the
 * next start makes them when a process was killed meanwhile.
 */
import type { Core } from '@strapi/strapi';
import type BetterSqlite3 from 'better-sqlite3';
import type { Growing } from './database';
import { withConnection } from './knex';
import { blocking } from './sqlite-patience';

const LEFT_OUT = 'oms_left_out_indexes';

/** Rows are added to an index faster than it is made anew, if there are so many times as many already. */
const MANY_TIMES = 3;

interface Index {
  readonly name: string;
  readonly sql: string;
}

type Handle = BetterSqlite3.Database;

/** Runs work that adds so many rows to each of these tables, without their indexes if that is faster. */
export async function withoutIndexes<T>(
  strapi: Core.Strapi,
  tables: readonly Growing[],
  added: number,
  work: () => Promise<T>,
): Promise<T> {
  await withConnection(strapi, (handle: Handle) =>
    blocking(handle, () => leaveOut(handle, tables, added)),
  );
  try {
    return await work();
  } finally {
    await makeLeftOutIndexes(strapi);
  }
}

/** Makes the indexes that were left out, if there are any. */
export const makeLeftOutIndexes = (strapi: Core.Strapi): Promise<void> =>
  withConnection(strapi, (handle: Handle) => blocking(handle, () => makeAll(handle)));

function leaveOut(handle: Handle, tables: readonly Growing[], added: number): void {
  const [first] = tables;
  if (!first || added === 0 || hasMoreThan(handle, first.table, added * MANY_TIMES)) return;
  handle.transaction(() => {
    handle.exec(
      `create table if not exists ${LEFT_OUT} (name text primary key, sql text not null)`,
    );
    const remember = handle.prepare(`insert into ${LEFT_OUT} (name, sql) values (?, ?)`);
    for (const { name, sql } of tables.flatMap((one) => indexesOf(handle, one))) {
      remember.run(name, sql);
      handle.exec(`drop index ${name}`);
    }
  })();
}

function hasMoreThan(handle: Handle, table: string, rows: number): boolean {
  const counted = `select count(*) from (select 1 from ${table} limit ${rows + 1})`;
  return Number(handle.prepare(counted).pluck().get()) > rows;
}

const indexesOf = (handle: Handle, { table, needs }: Growing): Index[] =>
  handle
    .prepare<[string, string], Index>(
      `select m.name, m.sql from pragma_index_list(?) l join sqlite_master m on m.name = l.name
        where l."unique" = 0 and m.sql is not null and not exists (
          select 1 from pragma_index_info(l.name) c
            where c.seqno = 0 and c.name in (select n.value from json_each(?) n))`,
    )
    .all(table, JSON.stringify(needs));

function makeAll(handle: Handle): void {
  const isThere = handle.prepare('select 1 from sqlite_master where name = ?').get(LEFT_OUT);
  if (!isThere) return;
  const indexes = handle.prepare<[], Index>(`select name, sql from ${LEFT_OUT}`).all();
  // Strapi makes its own at a start.
  for (const { sql } of indexes) handle.exec(sql.replace(/^create index/i, '$& if not exists'));
  handle.exec(`drop table ${LEFT_OUT}`);
}
