/** The plugin `wire`: HTTP, and nothing of data. */
import type { Core } from '@strapi/strapi';
import type { Context as KoaContext, Next } from 'koa';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Networks } from './address';
import { RequestAdmission } from './admission';
import { answerClientErrors } from './client-errors';
import { boundConnections } from './connections';
import { answerFront, putInFront, refuseFront, type Front, type FrontPage } from './front';
import type { Checks } from './health';
import { createLog, describeSafely, type Measures } from './log';
import { answerFor, type InsideCall, type RequestTracer, type Surroundings } from './pipeline';
import { readPublicFiles } from './public-files';
import { createPathRouter } from './router';
import type { Operation, Route } from './request';
import { bindRoutes, takeRoutes, type ApiRoute } from './routes';
import { createSettings } from './settings';
import { siteWarning } from './sites';
import { boundBodies } from './slow-bodies';
import { takeTurns } from './turns';

type Context = { strapi: Core.Strapi };

interface Config {
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
}

interface Wire {
  /** Takes the routes before Strapi mounts them. Called by the plugin itself. */
  take(): void;
  /** Adds a page of the service's own, outside the interface. */
  addPage(path: string, page: FrontPage): void;
  /** Opens /api/v0: from here on requests are answered. */
  open(given: {
    identify: Surroundings['identify'];
    admit: Surroundings['admit'];
    limit: Surroundings['limit'];
    maxUpload: Surroundings['maxUpload'];
    /** Whether it is said who may carry out an operation; asked once for each route. */
    hasRights: (operation: Operation) => boolean;
    checks: Checks;
    /** The current addresses of the frontends; the same array until they change. */
    frontends: () => readonly string[];
    /** Null where nobody reads metrics. */
    measures: Measures | null;
    /** Null where nobody wants traces. */
    tracer: RequestTracer | null;
  }): void;
  readonly front: () => Front;
  /** Answers a call for a caller whom another door has let in. Does not throw. */
  answerFor(req: IncomingMessage, res: ServerResponse, call: InsideCall): Promise<void>;
  readonly networks: Networks;
  /** All routes, for the OpenAPI document. */
  readonly routes: () => readonly Route[];
}

/** The wire of a running Strapi. */
export const wireOf = (strapi: Core.Strapi): Wire => strapi.plugin('wire').service('wire');

function createWire(strapi: Core.Strapi): Wire {
  const { publicUrl, trustedProxies } = strapi.config.get<Config>('plugin::wire');
  const networks = new Networks(trustedProxies, (message) => strapi.log.warn(message));
  const pages = new Map<string, FrontPage>();
  let taken: readonly ApiRoute[] = [];
  let routes: readonly Route[] = [];
  let front: Front | null = null;
  return {
    networks,
    take() {
      taken = takeRoutes(strapi);
    },
    addPage(path, page) {
      pages.set(path, page);
    },
    open({ identify, admit, limit, maxUpload, hasRights, checks, frontends, measures, tracer }) {
      routes = bindRoutes(strapi, taken, hasRights);
      const settings = createSettings(
        publicUrl,
        frontends,
        strapi.config.get<boolean>('oms.localFrontends', false),
      );
      for (const frontend of frontends()) {
        const warning = siteWarning(publicUrl, frontend);
        if (warning !== null) strapi.log.warn(`wire: ${warning}`);
      }
      const router = createPathRouter(routes);
      const admission = new RequestAdmission();
      const log = createLog(strapi, measures, tracer);
      front = {
        surroundings: {
          settings,
          router,
          networks,
          identify,
          admit,
          limit,
          maxUpload,
          admission,
          log,
          tracer,
        },
        files: readPublicFiles(join(strapi.dirs.app.root, 'public', 'locales')),
        checks,
        pages,
        measures,
      };
    },
    front() {
      if (!front) throw new Error('/api/v0 is not open yet');
      return front;
    },
    async answerFor(req, res, call) {
      await answerFor(req, res, call, this.front().surroundings);
    },
    routes: () => routes,
  };
}

export default {
  register({ strapi }: Context) {
    const { publicUrl } = strapi.config.get<Config>('plugin::wire');
    const isSecure = publicUrl.startsWith('https:');
    wireOf(strapi).take();
    strapi.server.use((ctx: KoaContext, next: Next) => {
      // The panel's cookie is `Secure` even if the proxy does not report that it was reached by https.
      if (isSecure) ctx.cookies.secure = true;
      return next();
    });
  },
  bootstrap({ strapi }: Context) {
    const { httpServer } = strapi.server;
    const wire = wireOf(strapi);
    // First: what else listens to requests is told of ours too.
    putInFront(
      httpServer,
      (req, res) => answerFront(req, res, wire.front()),
      (req, res, answer) => {
        const { tracer } = wire.front().surroundings;
        if (tracer) tracer.foreign(req, res, answer);
        else answer();
      },
      (error) => strapi.log.error(`an answer failed: ${describeSafely(error)}`),
    );
    answerClientErrors(httpServer);
    takeTurns(httpServer, (req, res) => refuseFront(req, res, wire.front()));
    boundConnections(httpServer, wire.networks);
    boundBodies(httpServer);
  },
  services: {
    wire: ({ strapi }: Context): Wire => createWire(strapi),
  },
};
