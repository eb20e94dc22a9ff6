/** The routes that Strapi loads from `src/api/<type>/routes`, and their controllers. */
import type { Core, UID } from '@strapi/strapi';
import type { Soon } from '../../../core/soon';
import type { Answer, ApiRequest, Operation, Route, RouteDeclaration } from './request';

type Action = (request: ApiRequest) => Soon<Answer>;
type Controllers = Readonly<Record<string, Action | undefined>>;

interface Loaded {
  routes: Readonly<Record<string, { routes: readonly RouteDeclaration[] }>>;
}

/** A route as it was declared, and the API that it belongs to. */
export interface ApiRoute extends RouteDeclaration {
  readonly api: string;
}

/**
 * Takes the routes of our APIs out of Strapi's own router, so that only the pipeline answers them. To be called in
 * `register`, before Strapi mounts them.
 */
export function takeRoutes(strapi: Core.Strapi): ApiRoute[] {
  const apis = strapi.apis as unknown as Readonly<Record<string, Loaded>>;
  return Object.entries(apis).flatMap(([api, loaded]) => {
    const declared = Object.values(loaded.routes).flatMap(({ routes }) => routes);
    loaded.routes = {};
    return declared.map((route) => ({ ...route, api }));
  });
}

/** The errors of a route's declaration. Each stops the start. */
export const ROUTE_ERRORS = {
  HANDLER_MISSING: 'there is no such action of a controller',
  OPERATION_MISSING: 'its config does not say what it does: nobody knows who may call it',
  RIGHTS_MISSING: 'no table of rights has a row for what it does',
  CONFIG_IGNORED: "nothing reads this of a route's config: what it asks for would not happen",
} as const;

export class RouteError extends Error {
  constructor(
    readonly code: keyof typeof ROUTE_ERRORS,
    { method, path }: RouteDeclaration,
    what: string,
  ) {
    super(`${code}: ${method} ${path}: ${what}: ${ROUTE_ERRORS[code]}`);
    this.name = 'RouteError';
  }
}

/**
 * Finds the controller of each route.
 *
 * @param hasRights whether the rights of an operation are declared
 * @throws RouteError
 */
export function bindRoutes(
  strapi: Core.Strapi,
  routes: readonly ApiRoute[],
  hasRights: (operation: Operation) => boolean,
): Route[] {
  return routes.map((route) => {
    const [controller = '', name = ''] = route.handler.split('.');
    const uid = `api::${route.api}.${controller}` as UID.Controller;
    const actions = strapi.controller(uid) as unknown as Controllers | undefined;
    const action = actions?.[name];
    if (!action) throw new RouteError('HANDLER_MISSING', route, route.handler);
    const { operation } = route.config as Partial<RouteDeclaration['config']>;
    if (!operation) throw new RouteError('OPERATION_MISSING', route, route.handler);
    if (!hasRights(operation)) throw new RouteError('RIGHTS_MISSING', route, operation.kind);
    const ignored = Object.keys(route.config).filter((key) => key !== 'operation');
    if (ignored.length > 0) throw new RouteError('CONFIG_IGNORED', route, ignored.join(', '));
    return { ...route, action };
  });
}
