/** The plugin `wire`: HTTP, and nothing of data. */
import type { Core } from '@strapi/strapi';
import type { Context as KoaContext, Next } from 'koa';
import { join } from 'node:path';
import { Admission } from './admission';
import { answerClientErrors } from './client-errors';
import { answerFront, refuseFront, type Front } from './front';
import type { Checks } from './health';
import { createLog } from './log';
import type { Surroundings } from './pipeline';
import { readPublicFiles } from './public-files';
import { createPathRouter, type Route } from './router';
import { bindRoutes, takeRoutes, type ApiRoute } from './routes';
import { createSettings } from './settings';
import { takeTurns } from './turns';

type Context = { strapi: Core.Strapi };

/** Milliseconds without a byte either way, such as of who does not read, after which a connection is closed. */
const MAX_SILENCE = 30_000;

/** What is beyond is closed unheard. One that says nothing costs some 10 KiB. */
const MAX_CONNECTIONS = 4000;

interface Wire {
  /** Called by the plugin itself: the routes, before Strapi mounts them. */
  take(): void;
  /** Opens /api/v0: from here on requests are answered. */
  open(given: {
    identify: Surroundings['identify'];
    limit: Surroundings['limit'];
    checks: Checks;
    /** Addresses of the frontends, as they are now; the same list until they change. */
    frontends: () => readonly string[];
  }): void;
  readonly front: () => Front;
  /** All routes, for the OpenAPI document. */
  readonly routes: () => readonly Route[];
}

/** The wire of a running Strapi. */
export const wireOf = (strapi: Core.Strapi): Wire => strapi.plugin('wire').service('wire');

function createWire(strapi: Core.Strapi): Wire {
  let taken: readonly ApiRoute[] = [];
  let routes: readonly Route[] = [];
  let front: Front | null = null;
  return {
    take() {
      taken = takeRoutes(strapi);
    },
    open({ identify, limit, checks, frontends }) {
      const publicUrl = strapi.config.get<string>('plugin::wire.publicUrl');
      routes = bindRoutes(strapi, taken);
      const settings = createSettings(publicUrl, frontends);
      const router = createPathRouter(routes);
      front = {
        surroundings: {
          settings,
          router,
          identify,
          limit,
          admission: new Admission(),
          log: createLog(strapi),
        },
        files: readPublicFiles(join(strapi.dirs.app.root, 'public', 'locales')),
        checks,
      };
    },
    front() {
      if (!front) throw new Error('/api/v0 is not open yet');
      return front;
    },
    routes: () => routes,
  };
}

export default {
  register({ strapi }: Context) {
    wireOf(strapi).take();
    // Strapi adds its own middlewares after this one: what is ours never meets them.
    strapi.server.use((ctx: KoaContext, next: Next) => {
      const answered = answerFront(ctx.req, ctx.res, wireOf(strapi).front());
      if (!answered) return next();
      ctx.respond = false;
      return answered;
    });
  },
  bootstrap({ strapi }: Context) {
    const { httpServer } = strapi.server;
    answerClientErrors(httpServer);
    takeTurns(httpServer, (req, res) => refuseFront(req, res, wireOf(strapi).front()));
    httpServer.setTimeout(MAX_SILENCE);
    httpServer.maxConnections = MAX_CONNECTIONS;
  },
  services: {
    wire: ({ strapi }: Context): Wire => createWire(strapi),
  },
};
