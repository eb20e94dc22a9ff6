/** Closes Strapi's routes that are not allowed, and adds our checks to the others. */
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

/** Intercepts every route before it is mounted. To be called in `register`. */
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
    // These are below `/api`, where only the pipeline answers.
    const isContentApi = given.type === 'content-api';
    return add({ ...given, routes: isContentApi ? [] : allowed(given.routes, given.prefix) });
  };
}

/** After Strapi's authentication: checks who may call the route, then the query. */
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
    middlewares: [
      ...ofRecords,
      checkBody,
      ...(who === 'anyone' ? [checkLengths] : []),
      ...middlewares,
    ],
  };
  // Copies Strapi's objects, because another boot in this process uses the same ones.
  return { ...route, config };
}

/**
 * Accepts an object or no body: Strapi's code fails with a list, and with deep nesting. Malformed texts are refused at
 * their field.
 */
const checkBody: Middleware = (ctx, next) => {
  const body: unknown = (ctx as PanelContext).request.body;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (body !== undefined && !isObject)
    throw new errors.ValidationError('The body has to be an object.');
  if (inspectJson(body).some(({ key }) => key !== 'FORMAT'))
    throw new errors.ValidationError('The body is nested too deeply, or has forbidden names.');
  return next();
};

/** UTF-16 units of a text that somebody who has not signed in sends: an address, a password, a token. */
const MAX_TEXT = 1000;

/** Refuses long texts before Strapi checks them: it repeats a text in each of its faults. */
const checkLengths: Middleware = (ctx, next) => {
  if (hasLongText((ctx as PanelContext).request.body))
    throw new errors.ValidationError('The body has a text that is too long.');
  return next();
};

const hasLongText = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length > MAX_TEXT
    : typeof value === 'object' && value !== null && Object.values(value).some(hasLongText);
