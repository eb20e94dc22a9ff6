/** What a database says of the state of an installation: for metrics and `npm run doctor`. */
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Resources } from '../plugins/objects/server/declare/completed';
import { RENDITION_NAMES } from '../plugins/objects/server/kinds/renditions';
import { join, raw, sql, type Sql } from '../plugins/objects/server/database/sql';
import type { Row } from '../plugins/objects/server/database/work';
import type { Soon } from '../core/soon';
import type { DatabaseEnvironment } from './environment';

type Read = (statement: Sql) => Soon<readonly Row[]>;

/** What changes from minute to minute; each is found by an index. */
export interface Lately {
  readonly sessions: number;
  readonly mailsWaiting: number;
  /** Milliseconds since 1970, null where none waits. */
  readonly oldestMail: number | null;
  /** Milliseconds since 1970; 0 where none was made. */
  readonly backupAt: number;
  readonly backupBytes: number;
}

export async function readLately(read: Read): Promise<Lately> {
  const [row = []] = await read(sql`select (select count(*) from oms_sessions),
    (select count(*) from oms_mails), (select min(created_at) from oms_mails),
    (select made_at from oms_backups where id = 1), (select bytes from oms_backups where id = 1)`);
  const [sessions, mails, oldest, backupAt, bytes] = row;
  return {
    sessions: Number(sessions),
    mailsWaiting: Number(mails),
    oldestMail: oldest === null ? null : Number(oldest),
    backupAt: Number(backupAt),
    backupBytes: Number(bytes),
  };
}

/** What PostgreSQL says of itself. */
export interface ServerState {
  readonly version: string;
  readonly connections: number;
  readonly maxConnections: number;
  /** Seconds of the longest transaction in this database; backups take none. */
  readonly longestTransaction: number;
  /** The part of the row IDs of a table that are used, of the table with the largest. */
  readonly idsUsed: number;
  /** That table; null where there is none. */
  readonly idsUsedBy: string | null;
}

/** The name of the connection that keeps the moment of a backup. */
export const BACKUP_APPLICATION = 'oms backup';

export async function readServer(read: Read): Promise<ServerState> {
  const [row = []] = await read(sql`select current_setting('server_version'),
    (select count(*) from pg_stat_activity where backend_type = 'client backend'),
    current_setting('max_connections'),
    (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'
      and application_name not in ('pg_dump', ${BACKUP_APPLICATION}))`);
  // Strapi's tables have IDs of 32 bits.
  const [ids = []] = await read(sql`select sequencename, last_value / 2147483647.0
    from pg_sequences where schemaname = current_schema() and data_type = 'integer'::regtype
    and last_value is not null order by last_value desc limit 1`);
  return {
    version: String(row[0]),
    connections: Number(row[1]),
    maxConnections: Number(row[2]),
    longestTransaction: Number(row[3]),
    idsUsed: Number(ids[1] ?? 0),
    idsUsedBy: ids[0] === undefined ? null : String(ids[0]),
  };
}

/** Objects of a type in a state. */
export interface ObjectCount {
  readonly type: string;
  /** Empty for a type without states. */
  readonly state: string;
  readonly count: number;
}

/** All objects by type and state; reads all of them. */
export async function countObjects(read: Read, resources: Resources): Promise<ObjectCount[]> {
  const selects = [...resources.values()].map((resource) => {
    const hasState = resource.fields.has('state');
    const table = raw(resource.table);
    return hasState
      ? sql`select ${resource.type} as type, state, count(*) from ${table} group by state`
      : sql`select ${resource.type}, '', count(*) from ${table}`;
  });
  const rows = await read(join(selects, ' union all '));
  return rows.map(([type, state, count]) => ({
    type: String(type),
    state: String(state ?? ''),
    count: Number(count),
  }));
}

/** The files of photographs that the database names. */
export interface FileTotals {
  readonly count: number;
  readonly bytes: number;
}

const SIZES = raw(
  ['size', ...RENDITION_NAMES.map((name) => `${name}_size`)]
    .map((name) => `coalesce(${name}, 0)`)
    .join(' + '),
);

export async function totalFiles(read: Read): Promise<FileTotals> {
  const [row = []] = await read(
    sql`select count(*), coalesce(sum(${SIZES}), 0) from assets where file_key is not null`,
  );
  return { count: Number(row[0]), bytes: Number(row[1]) };
}

/** Bytes of the database, with what SQLite has not copied into it yet. */
export async function databaseBytes(read: Read, database: DatabaseEnvironment): Promise<number> {
  if (database.client === 'postgres') {
    const [row = []] = await read(sql`select pg_database_size(current_database())`);
    return Number(row[0]);
  }
  const { file } = database;
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** The room of the data directory. */
export interface Room {
  readonly free: number;
  readonly all: number;
}

export async function roomOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, all: blocks * bsize };
}
