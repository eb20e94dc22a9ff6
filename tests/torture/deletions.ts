import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { send } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import type { Server } from './server';
import { ask } from './store';

type Env = Readonly<Record<string, string>>;

/** Something to which many encounters refer, and by which column. */
export interface Target {
  readonly type: 'individual' | 'user';
  readonly table: string;
  readonly column: string;
  readonly id: string;
  readonly encounters: number;
}

const BODIES = {
  individual: { table: 'individuals', column: 'individual_id', body: { sex: 'female' } },
  user: { table: 'up_users', column: 'owner_id', body: { name: 'Prolific' } },
} as const;

/** Makes an object. Its encounters come later, past the service. */
export async function makeTarget(
  { url }: Server,
  type: Target['type'],
  encounters: number,
): Promise<Target> {
  const { body, ...stored } = BODIES[type];
  const id = randomUUID();
  const email = `${id}@example.org`;
  const further = type === 'user' ? { email, password: 'a long enough password' } : {};
  const made = await send(url, {
    method: 'POST',
    url: `/api/v0/${type}`,
    body: { ...body, ...further, id },
  });
  if (made.status !== 200) throw new Error(made.text);
  return { type, ...stored, id, encounters };
}

/** The remarks by which its encounters are known when nothing refers to them any more. */
const markOf = ({ id }: Target): string => `of ${id}`;

/** Stores its encounters, while the service does not run. */
export async function addEncounters(env: Env, target: Target): Promise<void> {
  const isPostgres = env['DATABASE_URL'] !== undefined;
  const newId = isPostgres
    ? 'cast(gen_random_uuid() as text)'
    : `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
       || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;
  const statement = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${target.encounters})
    insert into encounters (document_id, ${target.column}, remarks, state, version, basis_of_record)
    select ${newId}, t.id, '${markOf(target)}', 'approved', 1, 'human_observation'
    from ${target.table} t, numbers where t.document_id = '${target.id}'`;
  if (isPostgres) {
    const client = new Client({ connectionString: env['DATABASE_URL'] });
    await client.connect();
    await client.query(statement).finally(() => client.end());
    return;
  }
  const Driver = sqliteDriver();
  const file = new Driver(join(env['OMS_DATA_DIR'] ?? '', 'db.sqlite'));
  try {
    file.exec(statement);
  } finally {
    file.close();
  }
}

/** What is stored of the target and of its encounters. */
export interface Remains {
  /** Rows of the target. */
  readonly targets: number;
  /** Its encounters by version and by whether they refer to something. */
  readonly encounters: Readonly<Record<string, number>>;
  /** Their entries in the history, each of another encounter. */
  readonly entries: number;
  /** Entries that tell of the deletion itself. */
  readonly deletions: number;
}

export async function remainsOf(env: Env, target: Target): Promise<Remains> {
  const { table, column, id, type } = target;
  const marked = `remarks = '${markOf(target)}'`;
  const [targets, encounters, entries, deletions] = await ask(env, [
    `select count(*) as n from ${table} where document_id = '${id}'`,
    `select version, case when ${column} is null then 'free' else 'bound' end as state, count(*) as n
     from encounters where ${marked} group by 1, 2`,
    `select count(distinct object) as n from oms_history where type = 'encounter' and action = 'update'
     and version = 2 and object in (select document_id from encounters where ${marked})`,
    `select count(*) as n from oms_history where type = '${type}' and object = '${id}' and action = 'delete'`,
  ]);
  const count = (rows: readonly unknown[] = []): number => Number(at(rows[0], 'n'));
  return {
    targets: count(targets),
    encounters: Object.fromEntries(
      (encounters ?? []).map((row) => [
        `${String(at(row, 'state'))} ${String(at(row, 'version'))}`,
        Number(at(row, 'n')),
      ]),
    ),
    entries: count(entries),
    deletions: count(deletions),
  };
}

/** Nothing has happened. */
export const untouched = ({ encounters }: Target): Remains => ({
  targets: 1,
  encounters: { 'bound 1': encounters },
  entries: 0,
  deletions: 0,
});

/** All of it has happened. The history of a user goes with the user. */
export const gone = ({ encounters, type }: Target): Remains => ({
  targets: 0,
  encounters: { 'free 2': encounters },
  entries: encounters,
  deletions: type === 'user' ? 0 : 1,
});

/** Deletes the target. @returns the status, null for a connection that broke */
export async function remove({ url }: Server, { type, id }: Target): Promise<number | null> {
  try {
    return (await send(url, { method: 'DELETE', url: `/api/v0/${type}/${id}` })).status;
  } catch {
    return null;
  }
}

/** Reads one of its encounters until told to stop. @returns what was wrong, and how often it was read */
export async function readMeanwhile(
  env: Env,
  { url }: Server,
  target: Target,
  isDone: () => boolean,
): Promise<{ readonly reads: number; readonly wrong: readonly unknown[] }> {
  const [rows = []] = await ask(env, [
    `select document_id as id from encounters where remarks = '${markOf(target)}' order by id desc limit 1`,
  ]);
  const path = `/api/v0/encounter/${String(at(rows[0], 'id'))}`;
  const wrong: unknown[] = [];
  let reads = 0;
  while (!isDone()) {
    const { status, text } = await send(url, { method: 'GET', url: path });
    const read = parsed(text);
    const refers = at(read, 'response', target.type === 'user' ? 'owner' : 'individual');
    // Either as before or as after, never a version without its change.
    const expected = at(read, 'response', 'version') === 1 ? target.id : null;
    if (status !== 200 || refers !== expected) wrong.push({ status, text });
    reads += 1;
  }
  return { reads, wrong };
}
