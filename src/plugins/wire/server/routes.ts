/** The routes that Strapi has loaded from `src/api/<type>/routes`, with what answers them. */
import type { Core, UID } from '@strapi/strapi';
import type { Answer, Exchange } from './exchange';
import type { Route, RouteDeclaration } from './router';

type Action = (exchange: Exchange) => Promise<Answer>;
type Controllers = Readonly<Record<string, Action | undefined>>;

interface Loaded {
  routes: Readonly<Record<string, { routes: readonly RouteDeclaration[] }>>;
}

/** A route as it was declared, and the API that it belongs to. */
export interface ApiRoute extends RouteDeclaration {
  readonly api: string;
}

/**
 * Takes the routes of our APIs out of Strapi's own router: there is one way in. To be called before
 * Strapi mounts them, in `register`.
 */
export function takeRoutes(strapi: Core.Strapi): ApiRoute[] {
  const apis = strapi.apis as unknown as Readonly<Record<string, Loaded>>;
  return Object.entries(apis).flatMap(([api, loaded]) => {
    const declared = Object.values(loaded.routes).flatMap(({ routes }) => routes);
    loaded.routes = {};
    return declared.map((route) => ({ ...route, api }));
  });
}

/** Finds the controller of each route. @throws Error naming the route whose handler does not exist */
export function bindRoutes(strapi: Core.Strapi, routes: readonly ApiRoute[]): Route[] {
  return routes.map((route) => {
    const [controller = '', name = ''] = route.handler.split('.');
    const uid = `api::${route.api}.${controller}` as UID.Controller;
    const actions = strapi.controller(uid) as unknown as Controllers | undefined;
    const action = actions?.[name];
    if (!action) throw new Error(`${route.method} ${route.path}: no handler "${route.handler}"`);
    return { ...route, action };
  });
}
