/**
 * PocketBase 0.22 as a peer: a binary of the caller's, in a process of its own, with the encounters of ours in one collection,
 * and with the indexes that the searches want. Linux only: its CPU time is read from `/proc`.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sqliteDriver } from '../../src/plugins/objects/server/database/sqlite-driver';
import type { Place } from '../places/place';
import type { Measured } from './contender';
import type { Usage } from './talk';

const ADMIN = { identity: 'admin@example.org', password: 'correct horse battery' };
const COLLECTION = 'encounters';

/** The fields of an encounter, by PocketBase's types; `time` is added to them. */
const FIELDS = {
  text: [
    ...['taxonomy', 'owner', 'event_id', 'locality', 'country_code', 'sex', 'life_stage'],
    ...['living_status', 'behavior', 'basis_of_record', 'remarks', 'license', 'state'],
  ],
  number: ['latitude', 'longitude', 'coordinate_uncertainty', 'group_size', 'version'],
  json: ['observers', 'measurements', 'tags', 'custom_fields'],
} as const;

const INDEXES = [['state', 'time'], ['time'], ['latitude', 'longitude']];

/** Rows that are copied at once. */
const SLICE = 10_000;

/** The ID of a document of ours: PocketBase's have 15 letters and digits. */
export const peerId = (documentId: string): string => documentId.replaceAll('-', '').slice(0, 15);

/** A time in PocketBase's format. @param seconds UTC, `2024-05-01T10:00:00Z` or to the minute */
export const peerTime = (seconds: string): string =>
  new Date(seconds).toISOString().replace('T', ' ');

/**
 * Starts it with the encounters of a place, readable by everyone.
 *
 * @param binary its path
 * @param folder an empty one
 */
export async function startPocketBase(
  binary: string,
  folder: string,
  place: Place,
): Promise<Measured> {
  const run = promisify(execFile);
  // PocketBase writes a migration for each collection into a folder beside its data: one of this run alone.
  const data = join(folder, 'pb_data');
  await run(binary, ['migrate', 'up', '--dir', data]);
  await run(binary, ['admin', 'create', ADMIN.identity, ADMIN.password, '--dir', data]);
  const first = await serve(binary, data);
  await makeCollection(first.url);
  await first.stop();
  await copyEncounters(place, join(data, 'data.db'));
  return serve(binary, data);
}

async function serve(binary: string, data: string): Promise<Measured> {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(binary, ['serve', '--http', address, '--dir', data], { stdio: 'ignore' });
  const url = `http://${address}`;
  const ended = (): string | null => child.signalCode ?? child.exitCode?.toString() ?? null;
  while (!(await isUp(url))) {
    if (ended() !== null) throw new Error(`${binary} has ended with ${ended()}`);
    await setTimeout(50);
  }
  return {
    url,
    ended,
    usage: () => Promise.resolve(usageOf(child.pid)),
    async stop() {
      if (ended() !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** From proc(5): fields 14 and 15 of `stat`, behind the name in brackets, in clock ticks; `VmRSS` of `status` in KiB. */
function usageOf(pid: number | undefined): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return { rss: rss * 1024, cpu: (ticks / ticksPerSecond()) * 1e6 };
}

let clock: number | undefined;
const ticksPerSecond = (): number =>
  (clock ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));

async function makeCollection(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { token } = await send(`${url}/api/admins/auth-with-password`, headers, ADMIN);
  const schema = Object.entries({ ...FIELDS, date: ['time'] }).flatMap(([type, names]) =>
    names.map((name) => ({
      name,
      type,
      options: type === 'json' ? { maxSize: 2_000_000 } : {},
    })),
  );
  const indexes = INDEXES.map(
    (columns) =>
      `create index peer_${columns.join('_')} on ${COLLECTION} (${columns.map((name) => `\`${name}\``).join(', ')})`,
  );
  const collection = {
    name: COLLECTION,
    type: 'base',
    listRule: '',
    viewRule: '',
    schema,
    indexes,
  };
  await send(`${url}/api/collections`, { ...headers, authorization: String(token) }, collection);
}

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Straight into its database: through its API 150,000 records would take minutes. */
async function copyEncounters(place: Place, file: string): Promise<void> {
  const plain = [
    ...FIELDS.text.filter((name) => name !== 'taxonomy' && name !== 'owner'),
    ...FIELDS.number,
    ...FIELDS.json,
  ];
  const columns = ['id', 'created', 'updated', 'time', 'taxonomy', 'owner', ...plain];
  const Driver = sqliteDriver();
  const handle = new Driver(file);
  try {
    const insert = handle.prepare(
      `insert into ${COLLECTION} (${columns.map((name) => `\`${name}\``).join(', ')})
        values (${columns.map(() => '?').join(', ')})`,
    );
    const now = peerTime(new Date().toISOString());
    let last = 0;
    for (;;) {
      const rows = await place.rows(
        `select e.id, e.document_id, e.time_start, t.document_id, o.document_id, ${plain.map((name) => `e.${name}`).join(', ')}
          from encounters e left join taxonomies t on t.id = e.taxonomy_id left join up_users o on o.id = e.owner_id
          where e.id > ${last} order by e.id limit ${SLICE}`,
      );
      if (rows.length === 0) break;
      last = Number(rows.at(-1)?.[0]);
      handle.exec('begin');
      for (const [, id, start, taxon, owner, ...values] of rows) {
        const time = peerTime(new Date(Number(start)).toISOString());
        insert.run(
          ...[peerId(String(id)), now, now, time],
          ...[taxon, owner].map((one) => (typeof one === 'string' ? peerId(one) : '')),
          ...values.map((value, at) => storable(value, plain[at])),
        );
      }
      handle.exec('commit');
    }
    handle.exec('analyze');
  } finally {
    handle.close();
  }
}

const NUMBERS: ReadonlySet<string | undefined> = new Set(FIELDS.number);

/** PocketBase has no nulls: texts are empty, numbers 0. PostgreSQL gives JSON as values. */
const storable = (value: unknown, name: string | undefined): unknown => {
  if (value === null) return NUMBERS.has(name) ? 0 : '';
  return typeof value === 'object' ? JSON.stringify(value) : value;
};
