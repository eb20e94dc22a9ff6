import type { Core } from '@strapi/strapi';
import { bindRoutes, ROUTE_ERRORS, type ApiRoute, type RouteError } from './routes';

const operation = { kind: 'read' };
const read = (): Promise<object> => Promise.resolve({});

/** A Strapi that has one controller, with one action. */
const strapi = {
  controller: (uid: string) => (uid === 'api::thing.thing' ? { read } : undefined),
} as unknown as Core.Strapi;

const routeWith = (changed: object): ApiRoute => ({
  api: 'thing',
  method: 'GET',
  path: '/v0/thing/:id',
  handler: 'thing.read',
  config: { operation },
  ...changed,
});

const bind = (changed: object, rights: readonly string[] = ['read']) =>
  bindRoutes(strapi, [routeWith(changed)], ({ kind }) => rights.includes(kind));

test('a route is bound to the action of its controller', () => {
  expect(bind({})).toEqual([{ ...routeWith({}), action: read }]);
});

describe('a route that is wrong stops the start with its named error', () => {
  test.each<[keyof typeof ROUTE_ERRORS, object, string]>([
    ['HANDLER_MISSING', { handler: 'thing.write' }, 'thing.write'],
    ['HANDLER_MISSING', { handler: 'other.read' }, 'other.read'],
    ['OPERATION_MISSING', { config: {} }, 'thing.read'],
    ['RIGHTS_MISSING', { config: { operation: { kind: 'calibrate' } } }, 'calibrate'],
    ['CONFIG_IGNORED', { config: { operation, policies: ['mine'] } }, 'policies'],
    ['CONFIG_IGNORED', { config: { operation, middlewares: [] } }, 'middlewares'],
    ['CONFIG_IGNORED', { config: { operation, auth: false } }, 'auth'],
  ])('%s of %j', (code, changed, what) => {
    const message = `${code}: GET /v0/thing/:id: ${what}: ${ROUTE_ERRORS[code]}`;
    expect(() => bind(changed)).toThrow(expect.objectContaining({ code, message }) as RouteError);
  });
});
