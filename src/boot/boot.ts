import type { Core } from '@strapi/strapi';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { appRoot, distRoot } from './app-root';
import { expectBackupFolder } from './backup/schedule';
import type { Role } from '../core/caller';
import type { Clock } from '../core/clock';
import { expectNoRestore, makeDataDirectory, mendModes } from './data-directory';
import { refuseUnfinishedCopy } from './copy/marker';
import { makeDatabase, renameAppliedMigrations } from './migrations';
import { keepCompiledCode } from './compile-cache';
import { loadAlone, reachDatabase } from './database';
import { readEnvironment, type Environment } from './environment';
import { checkPort, listen, type Listening } from './http';
import { refuseOtherSecret, type Accepted } from './installation';
import { newLifecycle } from './lifecycle';
import { listenForMetrics, type Metrics } from './metrics/metrics';
import { keepProcessListeners } from './process-listeners';
import { refuseNewerDatabase } from './release';
import { readSecrets } from './secrets';
import { errorText } from '../core/start-error';
import { sqliteDriver } from '../plugins/objects/server/database/sqlite-driver';
import { watchEventHub } from '../plugins/objects/server/strapi/events';
import type { Tracing } from './tracing/tracing';
import { keepWriterLock, takeWriterLock, type WriterLock } from './writer-lock';

export interface BootOptions {
  /** The folder of package.json, by default this app's. */
  readonly appDir?: string;
  /** The folder of the compiled app; `<appDir>/dist` by default. */
  readonly distDir?: string;
  /** Whether to open the port, by default true; false for scripts that only need the services. */
  readonly listen?: boolean;
  /**
   * The role of a request without a login; any other than `anonymous` is for tests and benchmarks. An argument and not
   * a variable, so that no environment can open a service to everybody.
   */
  readonly anonymousActsAs?: Role;
  /**
   * What time it is for accounts and objects; the clock of the machine by default, any other one is for tests. An argument
   * as well: nothing that is not told yet can be had by a variable.
   */
  readonly clock?: Clock;
  /** Prints how to create the first administrator, by default on the standard output. */
  readonly announce?: (text: string) => void;
  /** Whether any port of this machine is an allowed origin; only for the demo. */
  readonly localFrontends?: boolean;
  /** What may not be that of the database; only for scripts that mend it. */
  readonly accepted?: Accepted;
  /** Is given Strapi before its database is used; only for scripts that say what a start does to it. */
  readonly watch?: (strapi: Core.Strapi) => void;
}

/** A running service. */
export interface Service {
  readonly strapi: Core.Strapi;
  /** The address that it listens on, such as `http://127.0.0.1:1337`; null without a port. */
  readonly url: string | null;
  /**
   * Is not ready for SHUTDOWN_GRACE, in which it goes on answering: load balancers send their requests elsewhere, and end
   * their connections. Ends before `close`; at once without a port.
   */
  leave(): Promise<void>;
  /** Accepts no new connections, lets the requests under way finish (30 s at most), closes everything. */
  close(): Promise<void>;
}

/**
 * V8 lets the heap grow to four times its live size after the last collection, here 360 MiB, before the next one, and
 * thousands of requests fill that with garbage. A factor below two has no measurable cost and keeps the process under
 * 500 MiB. V8 reads the size of the young generation only when it starts, so `npm start` gives it: Node 24 would let it
 * grow to 128 MiB, for which nothing is faster. It also lets the C library allocate from two arenas instead of eight for
 * each core, between which freed memory is scattered.
 */
const SMALL_HEAP = '--heap-growing-percent=60';

/**
 * Starts the service: checks the operator's settings, locks the database, loads Strapi, opens the port. Everything
 * outside is checked before Strapi is loaded, so that an error is reported at once and without others.
 *
 * @throws StartError when the environment does not allow a start; nothing stays open then
 */
export async function boot(options: BootOptions = {}): Promise<Service> {
  // Both drivers read a timestamp without a zone as local time; all stored times are UTC.
  process.env.TZ = 'UTC';
  keepCompiledCode();
  const environment = readEnvironment();
  const listens = options.listen ?? true;
  if (listens) setFlagsFromString(SMALL_HEAP);
  await prepare(environment, listens);
  const lock =
    environment.database.client === 'sqlite' ? takeWriterLock(environment.database.file) : null;
  try {
    return await load(options, environment, listens, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

async function prepare(environment: Environment, listens: boolean): Promise<void> {
  makeDataDirectory(environment.dataDir);
  expectNoRestore(environment.dataDir);
  readSecrets(environment);
  if (environment.database.client === 'sqlite') sqliteDriver();
  await reachDatabase(environment.database);
  if (!listens) return;
  if (environment.backup) expectBackupFolder(environment.backup);
  await checkPort(environment);
  const { host, metrics } = environment;
  if (metrics.port !== null) await checkPort({ host, port: metrics.port }, 'METRICS_PORT');
}

async function load(
  options: BootOptions,
  environment: Environment,
  listens: boolean,
  lock: WriterLock | null,
): Promise<Service> {
  const lifecycle = newLifecycle();
  // Loading Strapi takes a second; a refused start should not wait for it.
  const { createStrapi } = await import('@strapi/strapi');
  const listeners = keepProcessListeners();
  const { appDir = appRoot, distDir = distRoot } = options;
  const hasPanel = existsSync(join(distDir, 'build', 'index.html'));
  const strapi = createStrapi({
    appDir,
    distDir,
    // If the panel has not been built, its paths answer 404 and not 500.
    serveAdminPanel: hasPanel,
  });
  const tracing = options.listen === false ? null : await openTracing(environment, strapi);
  makeDatabase(strapi, distDir);
  options.watch?.(strapi);
  watchEventHub(strapi);
  // Strapi would end the process on a signal, in the middle of requests; the caller of `boot` decides instead.
  listeners.restoreSignals();
  strapi.config.set('oms', {
    listens: options.listen ?? true,
    anonymousActsAs: options.anonymousActsAs ?? 'anonymous',
    clock: options.clock ?? Date.now,
    announce: options.announce,
    localFrontends: options.localFrontends ?? false,
    accepted: options.accepted ?? {},
    lifecycle,
    tracer: tracing,
  });
  if (lock) keepWriterLock(strapi, lock);

  let listening: Listening | null = null;
  let scraped: Listening | null = null;
  let isLoaded = false;
  const closing = new AbortController();
  const mending = mendModes(environment.dataDir, closing.signal).catch((error: unknown) =>
    strapi.log.error(`OMS_DATA_DIR: files may be readable by others: ${errorText(error)}`),
  );
  const leave = async (): Promise<void> => {
    lifecycle.isLeaving = true;
    listening?.endConnections();
    if (listening) await sleep(environment.shutdownGrace * 1000);
  };
  const close = once(async () => {
    lifecycle.draining = true;
    closing.abort();
    await mending;
    await listening?.drain();
    await scraped?.drain();
    // One that was not loaded has only its database to close, and would tell of its end in the log.
    await listeners.during(() => (isLoaded ? strapi.destroy() : strapi.db.destroy()));
    await tracing?.close();
    lock?.release();
  });
  try {
    await loadAlone(environment.database, async () => {
      await renameAppliedMigrations(strapi, distDir);
      await refuseNewerDatabase(strapi.db.connection, distDir);
      if (!options.accepted?.copy) await refuseUnfinishedCopy(strapi.db.connection);
      await refuseOtherSecret(strapi.db.connection, environment, options.accepted);
      isLoaded = true;
      await strapi.load();
      // What plugins of Strapi do by the clock is for services: a script holds the connections that it would wait for.
      if (!listens) strapi.cron.stop();
    });
    strapi.server.mount();
    const metrics = strapi.config.get<Metrics | null>('oms.metrics', null);
    if (listens && metrics)
      scraped = await listenForMetrics(environment, metrics.page, (error) =>
        strapi.log.error(`metrics: ${errorText(error)}`),
      );
    if (listens) {
      listening = await listen(strapi.server.httpServer, environment);
      const panel = hasPanel ? `; the admin panel is at ${environment.publicUrl}/admin` : '';
      strapi.log.info(`listening on ${listening.url}${panel}`);
    }
    return { strapi, url: listening?.url ?? null, leave, close };
  } catch (error) {
    // The first error is the cause: destroying a half-loaded Strapi may fail too.
    await close().catch(() => undefined);
    throw error;
  }
}

/** Loaded only where the operator has named a collector. */
async function openTracing(
  { tracing }: Environment,
  { log }: Core.Strapi,
): Promise<Tracing | null> {
  if (!tracing) return null;
  const { startTracing } = await import('./tracing/tracing.js');
  return startTracing(tracing, (message) => log.warn(message));
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= action());
}
