import type { Core } from '@strapi/strapi';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { appRoot, distRoot } from './app-root';
import type { Role } from '../core/caller';
import { makeDataDirectory } from './data-directory';
import { loadAlone, reachDatabase } from './database';
import { readEnvironment, type Environment } from './environment';
import { checkPort, listen, type Listening } from './http';
import { keepProcessListeners } from './process-listeners';
import { readSecrets } from './secrets';
import { sqliteDriver } from '../plugins/objects/server/database/sqlite-driver';
import { keepWriterLock, takeWriterLock, type WriterLock } from './writer-lock';

export interface BootOptions {
  /** The folder of package.json; this app's own by default. */
  readonly appDir?: string;
  /** The folder of the compiled app; `<appDir>/dist` by default. */
  readonly distDir?: string;
  /** Whether to open the port; true by default. A script that only needs the services does not. */
  readonly listen?: boolean;
  /**
   * The role of a request without a login; anything but `anonymous` is for tests and benches. An
   * argument and not a variable, so that no environment can open a service to everyone.
   */
  readonly anonymousActsAs?: Role;
  /** Where to tell the operator how the first administrator is made; the standard output by default. */
  readonly announce?: (text: string) => void;
  /** Whether frontends at any port of this machine may call with credentials: for the demo alone. */
  readonly localFrontends?: boolean;
}

/** What others may read as `strapi.config.get('oms.lifecycle')`: a service that is going down is not ready. */
export interface Lifecycle {
  draining: boolean;
}

/** A running service. */
export interface Service {
  readonly strapi: Core.Strapi;
  /** Where it listens, such as `http://127.0.0.1:1337`; null when it does not. */
  readonly url: string | null;
  /** Takes no new connection, lets the requests under way finish (30 s at most), closes everything. */
  close(): Promise<void>;
}

/**
 * V8 lets a heap grow to four times what was alive when it last looked, 360 MiB here, before it looks again; requests
 * by the thousand fill that with what nobody needs any more. Less than twice has no measurable price, and keeps the
 * process under 500 MiB.
 */
const SMALL_HEAP = '--heap-growing-percent=60';

/**
 * Starts the service: checks what the operator has decided, takes the database, loads Strapi, opens the port.
 * What can be wrong outside is looked at before Strapi is loaded, so that it is said at once and alone.
 *
 * @throws StartError when the environment does not allow a start; nothing stays open then.
 */
export async function boot(options: BootOptions = {}): Promise<Service> {
  // Both drivers read a timestamp without a zone as local time; all that is stored is UTC.
  process.env.TZ = 'UTC';
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
  readSecrets(environment);
  if (environment.database.client === 'sqlite') sqliteDriver();
  await reachDatabase(environment.database);
  if (listens) await checkPort(environment);
}

async function load(
  options: BootOptions,
  environment: Environment,
  listens: boolean,
  lock: WriterLock | null,
): Promise<Service> {
  const lifecycle: Lifecycle = { draining: false };
  // Loading Strapi takes a second, which a start that is refused need not wait for.
  const { createStrapi } = await import('@strapi/strapi');
  const listeners = keepProcessListeners();
  const { appDir = appRoot, distDir = distRoot } = options;
  const hasPanel = existsSync(join(distDir, 'build', 'index.html'));
  const strapi = createStrapi({
    appDir,
    distDir,
    // Without a panel that is built, its addresses are unknown rather than a 500 each.
    serveAdminPanel: hasPanel,
  });
  // Strapi ends the process on a signal, with every request under way: who boots it decides when it ends.
  listeners.restoreSignals();
  strapi.config.set('oms', {
    listens: options.listen ?? true,
    anonymousActsAs: options.anonymousActsAs ?? 'anonymous',
    announce: options.announce,
    localFrontends: options.localFrontends ?? false,
    lifecycle,
  });
  if (lock) keepWriterLock(strapi, lock);

  let listening: Listening | null = null;
  const close = once(async () => {
    lifecycle.draining = true;
    await listening?.drain();
    await listeners.during(() => strapi.destroy());
    lock?.release();
  });
  try {
    await loadAlone(environment.database, () => strapi.load());
    strapi.server.mount();
    if (listens) {
      listening = await listen(strapi.server.httpServer, environment);
      const panel = hasPanel ? `; the admin panel is at ${environment.publicUrl}/admin` : '';
      strapi.log.info(`listening on ${listening.url}${panel}`);
    }
    return { strapi, url: listening?.url ?? null, close };
  } catch (error) {
    // What went wrong first is what counts: a half-loaded Strapi may fail to go down too.
    await close().catch(() => undefined);
    throw error;
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= action());
}
