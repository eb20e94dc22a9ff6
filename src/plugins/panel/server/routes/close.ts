/** Closes what of Strapi's routes is not allowed, and puts our checks in front of the rest. */
import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { errors } from '@strapi/utils';
import { ALLOWED } from './allowed';
import { checkQuery } from './query-check';
import { inspectJson } from '../../../../core/text';
import type { PanelContext } from '../strapi-internals';
import type { Who } from './who';

type Middleware = (ctx: Context, next: Next) => unknown;

/** A route as Strapi and its plugins declare it. */
interface StrapiRoute {
  readonly method: string;
  readonly path: string;
  readonly config?: {
    readonly prefix?: string;
    readonly policies?: readonly unknown[];
    readonly middlewares?: readonly unknown[];
  };
}

interface Router {
  readonly type?: string;
  readonly prefix?: string;
  readonly routes: readonly StrapiRoute[];
}

interface Server {
  routes(routes: Router | readonly StrapiRoute[]): unknown;
}

/** Every route passes here before it is mounted. In `register`. */
export function closeRoutes(strapi: Core.Strapi): void {
  const server = strapi.server as unknown as Server;
  const add = server.routes.bind(server);
  const allowed = (routes: readonly StrapiRoute[], prefix = ''): StrapiRoute[] =>
    routes.flatMap((route) => {
      const key = `${route.method} ${route.config?.prefix ?? prefix}${route.path}`;
      const who = ALLOWED[key];
      return who === undefined ? [] : [guarded(strapi, route, key, who)];
    });
  server.routes = (given) => {
    if (!('routes' in given)) return add(allowed(given));
    // Those are below `/api`, where nobody but the pipeline answers.
    const isContentApi = given.type === 'content-api';
    return add({ ...given, routes: isContentApi ? [] : allowed(given.routes, given.prefix) });
  };
}

/** After Strapi's authentication: first who may call the route, then what it may be asked. */
function guarded(
  strapi: Core.Strapi,
  route: StrapiRoute,
  key: string,
  who: Who | 'anyone',
): StrapiRoute {
  const { policies = [], middlewares = [] } = route.config ?? {};
  const ofRecords = key.includes(' /content-manager/') ? [checkQuery(strapi)] : [];
  const config = {
    ...route.config,
    ...(who === 'anyone' ? {} : { policies: [...policies, `plugin::panel.${who}`] }),
    middlewares: [...ofRecords, checkBody, ...middlewares],
  };
  // Strapi's own objects stay as they are: another boot in this process gets the same.
  return { ...route, config };
}

/**
 * Each route takes an object, or nothing: Strapi's code fails at a list of whatever, and at what is nested too deep. What is
 * wrong with a text is told at its field.
 */
const checkBody: Middleware = (ctx, next) => {
  const body: unknown = (ctx as PanelContext).request.body;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (body !== undefined && !isObject)
    throw new errors.ValidationError('The body has to be an object.');
  if (inspectJson(body).some(({ key }) => key !== 'FORMAT'))
    throw new errors.ValidationError('The body is nested too deep, or has names that none has.');
  return next();
};
