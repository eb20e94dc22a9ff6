/** The plugin `objects`: data, and nothing of HTTP. */
import type { Core } from '@strapi/strapi';
import { tracerOf } from '../../../core/tracer';
import { createBackground, KEPT_VALUES, type Background } from './background';
import type { Database } from './database/database';
import { dropRedundantIndexes } from './database/redundant-indexes';
import { makeUntoldIndexes } from './database/untold-indexes';
import type { Resource } from './declare/completed';
import { createCursors } from './history/cursor';
import { Jobs } from './jobs/jobs';
import { createJobTable } from './jobs/table';
import { createPlaceCursors } from './search/execute/cursor';
import { createRegistry, type Registry } from './registry';
import { createObjects } from './service';
import { refuseBypass } from './strapi/bypass';
import { createEvents, watchEventHub, type Events } from './strapi/events';
import type { Site } from './site-store';
import type { Objects } from './types';

type Context = { strapi: Core.Strapi };

/** What Strapi calls after its schema sync. */
interface SyncHook {
  register(handler: () => Promise<void>): void;
}

export const registryOf = (strapi: Core.Strapi): Registry =>
  strapi.plugin('objects').service('registry');

/** The objects service of a running Strapi. */
export const objectsOf = (strapi: Core.Strapi): Objects =>
  strapi.plugin('objects').service('objects');

/** What changes have left to be done for kept values. */
export const backgroundOf = (strapi: Core.Strapi): Background =>
  strapi.plugin('objects').service('background');

/** What is done in the background of a running Strapi. Other plugins add theirs at bootstrap. */
export const jobsOf = (strapi: Core.Strapi): Jobs => strapi.plugin('objects').service('jobs');

/** The listeners of Strapi's event hub. */
export const eventsOf = (strapi: Core.Strapi): Events => strapi.plugin('objects').service('events');

/** The site settings of a running Strapi. */
export const siteOf = (strapi: Core.Strapi): Site => registryOf(strapi).site();

/** The database of a running Strapi. */
export const databaseOf = (strapi: Core.Strapi): Database => registryOf(strapi).model().database;

/** Runs work after the migrations and the schema sync of a start. To be called in `register`. */
export function afterSync(strapi: Core.Strapi, work: () => Promise<void>): void {
  const hook = strapi.hook('strapi::content-types.afterSync') as unknown as SyncHook;
  hook.register(work);
}

/** The secret of the installation. */
const secretOf = (strapi: Core.Strapi): string =>
  strapi.config.get<string[]>('server.app.keys').join();

/** The type with this UID, undefined if it is not one of ours. */
export function resourceOf(strapi: Core.Strapi, uid: string | undefined): Resource | undefined {
  const { resources } = registryOf(strapi).model();
  return [...resources.values()].find((resource) => resource.uid === uid);
}

export default {
  register({ strapi }: Context) {
    watchEventHub(strapi);
    afterSync(strapi, () => dropRedundantIndexes(strapi, registryOf(strapi).uids()));
    afterSync(strapi, () => makeUntoldIndexes(strapi, registryOf(strapi).toldLater()));
  },
  async bootstrap({ strapi }: Context) {
    await registryOf(strapi).open();
    refuseBypass(strapi, registryOf(strapi).uids());
    const [background, jobs] = [backgroundOf(strapi), jobsOf(strapi)];
    jobs.add(...background.jobs());
    objectsOf(strapi).onWritten((type) => {
      if (background.leaves(type)) jobs.soon(KEPT_VALUES);
    });
  },
  async destroy({ strapi }: Context) {
    await jobsOf(strapi).stop();
    await backgroundOf(strapi).close();
    await eventsOf(strapi).settled();
    await registryOf(strapi).close();
  },
  services: {
    registry: ({ strapi }: Context): Registry => createRegistry(strapi),
    events: ({ strapi }: Context): Events => createEvents(strapi, registryOf(strapi)),
    jobs: ({ strapi }: Context): Jobs =>
      new Jobs({
        table: () => createJobTable(databaseOf(strapi)),
        log: strapi.log,
        tracer: tracerOf(strapi),
      }),
    background: ({ strapi }: Context): Background => {
      const registry = registryOf(strapi);
      let background: Background | null = null;
      const opened = (): Background =>
        (background ??= createBackground(
          registry.model(),
          registry.site(),
          registry.projections(),
        ));
      return {
        jobs: () => opened().jobs(),
        workOff: () => opened().workOff(),
        leaves: (type) => opened().leaves(type),
        // A start may have failed before there was anything to close.
        close: async () => background?.close(),
      };
    },
    objects: ({ strapi }: Context): Objects => {
      const registry = registryOf(strapi);
      let objects: Objects | null = null;
      const opened = (): Objects =>
        (objects ??= createObjects(
          registry.model(),
          registry.projections(),
          createCursors(secretOf(strapi)),
          createPlaceCursors(secretOf(strapi)),
          eventsOf(strapi),
        ));
      return {
        read: (...args) => opened().read(...args),
        inspect: (...args) => opened().inspect(...args),
        write: (...args) => opened().write(...args),
        check: (...args) => opened().check(...args),
        writeAll: (...args) => opened().writeAll(...args),
        transact: (...args) => opened().transact(...args),
        find: (...args) => opened().find(...args),
        explain: (...args) => opened().explain(...args),
        suggest: (...args) => opened().suggest(...args),
        list: (...args) => opened().list(...args),
        pages: (...args) => opened().pages(...args),
        parts: (...args) => opened().parts(...args),
        rebuild: () => opened().rebuild(),
        history: (...args) => opened().history(...args),
        searchHistory: (...args) => opened().searchHistory(...args),
        onWritten: (...args) => opened().onWritten(...args),
        prepare: (...args) => opened().prepare(...args),
        findUnique: (...args) => opened().findUnique(...args),
        findNamesakes: (...args) => opened().findNamesakes(...args),
        findEach: (...args) => opened().findEach(...args),
      };
    },
  },
};
