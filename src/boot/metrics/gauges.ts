/** The state of a service, when it is asked for: of this process each time, of the database less often. */
import type { Core } from '@strapi/strapi';
import { Gauge, type Registry } from 'prom-client';
import { accountsOf } from '../../plugins/accounts/server';
import { assetsOf } from '../../plugins/assets/server';
import { databaseOf, jobsOf, registryOf } from '../../plugins/objects/server';
import { checked, type Checks } from '../../plugins/wire/server/health';
import type { Environment } from '../environment';
import {
  countObjects,
  databaseBytes,
  readLately,
  readServer,
  roomOf,
  totalFiles,
  type Lately,
  type ServerState,
} from '../facts';
import { releaseVersion } from '../release';

/** Milliseconds for which an answer of the database holds: what an index finds, and what reads all rows. */
const OFTEN = 10_000;
const SELDOM = 5 * 60_000;

/** Whose turn it is among the searches. */
const ORIGIN = 'metrics';

export interface Gauges {
  /** Brings all up to date. Does not throw: what cannot be read is left out, and `oms_metrics_failed` is 1. */
  refresh(): Promise<void>;
  close(): void;
}

interface Given {
  readonly environment: Environment;
  readonly checks: Checks;
}

/** Makes gauges of this registry. Whole seconds and bytes. */
const createMaker =
  (register: Registry) =>
  (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `oms_${name}`, help, labelNames: [...labelNames], registers: [register] });

export function createGauges(
  register: Registry,
  strapi: Core.Strapi,
  { environment, checks }: Given,
): Gauges {
  const make = createMaker(register);
  const failed = make('metrics_failed', '1 where something of the state cannot be read now.');
  const closing = new AbortController();
  const parts = [
    processPart(make, strapi, checks),
    roomPart(make, environment),
    jobsPart(make, strapi),
    latelyPart(make, strapi, environment),
    totalsPart(make, strapi, environment, closing.signal),
  ];
  make('build_info', 'The release.', ['version', 'node']).set(
    { version: releaseVersion(), node: process.version },
    1,
  );
  return {
    async refresh() {
      const ended = await Promise.allSettled(parts.map((part) => part()));
      failed.set(ended.some(({ status }) => status === 'rejected') ? 1 : 0);
    },
    close: () => closing.abort(),
  };
}

type Make = ReturnType<typeof createMaker>;
type Part = () => Promise<void>;

function processPart(make: Make, strapi: Core.Strapi, checks: Checks): Part {
  const check = make('ready_check', '1 for each check of /_health/ready that holds.', ['check']);
  const ready = make('ready', '1 while the service is ready.');
  const connections = make('pool_connections', 'Connections to the database.', ['pool', 'state']);
  const poolWaiting = make('pool_waiting', 'Who waits for a connection.', ['pool']);
  const running = make('work_running', 'Work under way that is bounded.', ['kind']);
  const waiting = make('work_waiting', 'Work that waits for its turn.', ['kind']);
  return async () => {
    const { isReady, draining, ...held } = await checked(checks);
    for (const [name, holds] of Object.entries({ ...held, serving: !draining }))
      check.set({ check: name }, holds ? 1 : 0);
    ready.set(isReady ? 1 : 0);
    const { pools, searches } = databaseOf(strapi).load;
    for (const [pool, load] of Object.entries(pools)) {
      connections.set({ pool, state: 'used' }, load.used);
      connections.set({ pool, state: 'free' }, load.free);
      poolWaiting.set({ pool }, load.waiting);
    }
    const work = {
      search: searches,
      hash: accountsOf(strapi).hasher().load,
      decode: assetsOf(strapi).decoding(),
    };
    for (const [kind, load] of Object.entries(work)) {
      running.set({ kind }, load.running);
      waiting.set({ kind }, load.waiting);
    }
  };
}

function roomPart(make: Make, { dataDir }: Environment): Part {
  const free = make('room_free_bytes', 'Room that is left in the data directory.');
  const all = make('room_bytes', 'The size of the file system of the data directory.');
  return async () => {
    const room = await roomOf(dataDir);
    free.set(room.free);
    all.set(room.all);
  };
}

/** Takes the values of a gauge away, so that none is told that is not so any more. */
const forget = (...gauges: readonly Gauge[]): void => {
  for (const gauge of gauges) gauge.remove();
};

function jobsPart(make: Make, strapi: Core.Strapi): Part {
  const of = (name: string, help: string): Gauge => make(`job_${name}`, help, ['task']);
  const ended = of('last_run_timestamp_seconds', 'The last end of a job.');
  const duration = of('duration_seconds', 'How long its last run has taken.');
  const failures = of('failures', 'Runs that have failed since one that has not.');
  const next = of('next_run_timestamp_seconds', 'When it is due again; in the past: at once.');
  const all = [ended, duration, failures, next];
  const states = held(OFTEN, () => jobsOf(strapi).states());
  return async () => {
    try {
      const found = await states();
      for (const state of found) {
        const labels = { task: state.name };
        if (state.endedAt !== null) ended.set(labels, state.endedAt / 1000);
        if (state.duration !== null) duration.set(labels, state.duration / 1000);
        failures.set(labels, state.failures);
        next.set(labels, state.nextAt / 1000);
      }
    } catch (error) {
      for (const gauge of all) gauge.reset();
      throw error;
    }
  };
}

function latelyPart(make: Make, strapi: Core.Strapi, { database }: Environment): Part {
  const sessions = make('sessions', 'Sessions that have not ended.');
  const mails = make('mails_waiting', 'Mails that wait to be sent.');
  const age = make('mail_oldest_seconds', 'The age of the oldest mail that waits; 0 without one.');
  const backup = make(
    'backup_last_success_timestamp_seconds',
    'When the last backup was made; 0 where none was.',
  );
  const backupBytes = make('backup_bytes', 'The size of the last backup.');
  const isPostgres = database.client === 'postgres';
  const server = serverGauges(make);
  if (!isPostgres) forget(...server.all);
  const read = databaseOf(strapi).read.bind(databaseOf(strapi));
  const lately = held(OFTEN, () => Promise.resolve(readLately(read)));
  const state = held(OFTEN, () => readServer(read));
  const tell = (found: Lately): void => {
    sessions.set(found.sessions);
    mails.set(found.mailsWaiting);
    age.set(found.oldestMail === null ? 0 : Math.max(0, (Date.now() - found.oldestMail) / 1000));
    backup.set(found.backupAt / 1000);
    backupBytes.set(found.backupBytes);
  };
  return async () => {
    try {
      tell(await lately());
      if (isPostgres) server.tell(await state());
    } catch (error) {
      forget(sessions, mails, age, backup, backupBytes, ...server.all);
      throw error;
    }
  };
}

function serverGauges(make: Make): {
  readonly tell: (state: ServerState) => void;
  readonly all: readonly Gauge[];
} {
  const used = make('database_connections', 'Connections to the server of the database.');
  const most = make('database_connections_max', 'Connections that it takes at the most.');
  const longest = make('transaction_longest_seconds', 'The longest transaction but of backups.');
  const ids = make('row_ids_used_ratio', 'The used part of the row IDs, of the table with most.');
  return {
    all: [used, most, longest, ids],
    tell(state) {
      used.set(state.connections);
      most.set(state.maxConnections);
      longest.set(state.longestTransaction);
      ids.set(state.idsUsed);
    },
  };
}

function totalsPart(
  make: Make,
  strapi: Core.Strapi,
  { database: place }: Environment,
  signal: AbortSignal,
): Part {
  const objects = make('objects', 'Objects by type and state.', ['type', 'state']);
  const bytes = make('database_bytes', 'The size of the database.');
  const files = make('files', 'Photographs with files.');
  const fileBytes = make('files_bytes', 'The size of the files of photographs.');
  const database = databaseOf(strapi);
  const apart: typeof database.read = (statement) =>
    database.readApart(statement, { origin: ORIGIN, signal });
  const totals = held(SELDOM, async () => ({
    counts: await countObjects(apart, registryOf(strapi).model().resources),
    files: await totalFiles(apart),
    bytes: await databaseBytes(apart, place),
  }));
  return async () => {
    try {
      const found = await totals();
      objects.reset();
      for (const { type, state, count } of found.counts) objects.set({ type, state }, count);
      files.set(found.files.count);
      fileBytes.set(found.files.bytes);
      bytes.set(found.bytes);
    } catch (error) {
      objects.reset();
      forget(bytes, files, fileBytes);
      throw error;
    }
  };
}

/** Keeps an answer, or a failure, for so many milliseconds. */
function held<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let asked: { readonly answer: Promise<T>; readonly until: number } | null = null;
  return () => {
    const now = performance.now();
    if (asked === null || now >= asked.until) {
      asked = { answer: ask(), until: now + milliseconds };
      asked.answer.catch(() => undefined);
    }
    return asked.answer;
  };
}
