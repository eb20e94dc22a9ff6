import { ALLOWED } from '#app/plugins/panel/server/routes/allowed';
import { newAccount } from '../../helpers/accounts';
import { at } from '../../helpers/json';
import { askPanel, operator, signInToPanel, type Credentials } from '../../helpers/panel';
import type { TestService } from '../../helpers/service';

/** The routes of the panel, on a shared service. */
export function testRoutes(started: () => TestService): void {
  type As = 'nobody' | 'moderator' | 'administrator' | 'operator';
  const RANKS: Readonly<Record<As | 'anyone', number>> = {
    anyone: 0,
    nobody: 0,
    moderator: 1,
    administrator: 2,
    operator: 3,
  };
  const ALL: readonly As[] = ['nobody', 'moderator', 'administrator', 'operator'];

  let service: TestService;
  const credentials = new Map<As, Credentials>([['operator', operator]]);
  const tokens = new Map<As, string>();
  async function signIn(as: As): Promise<void> {
    const known = credentials.get(as);
    if (!known) return;
    const token = at((await signInToPanel(service, known)).body, 'data', 'token');
    tokens.set(as, String(token));
  }
  beforeAll(async () => {
    service = started();
    for (const role of ['moderator', 'administrator'] as const)
      credentials.set(role, await newAccount(service, role));
    for (const as of ALL) await signIn(as);
  });

  interface Declared {
    readonly method: string;
    readonly path: string;
    readonly config?: { readonly prefix?: string };
  }
  type Router =
    | readonly Declared[]
    | { readonly type?: string; readonly prefix?: string; readonly routes: readonly Declared[] };

  /** The routes that Strapi and its plugins declare for the panel, with those that are taken away. */
  function declared(): string[] {
    const { strapi } = service;
    const keysOf = (router: Router, prefix: string): string[] => {
      const routes = 'routes' in router ? router.routes : router;
      const before = 'routes' in router ? (router.prefix ?? prefix) : prefix;
      return routes.map(
        ({ method, path, config }) => `${method} ${config?.prefix ?? before}${path}`,
      );
    };
    const ofAdmin = Object.values(
      (strapi.admin as unknown as { routes: Record<string, Router> }).routes,
    );
    const ofPlugins = Object.entries(strapi.plugins).flatMap(([name, plugin]) => {
      const { routes } = plugin as unknown as {
        routes: Record<string, Router> | readonly Declared[];
      };
      const isList = (value: typeof routes): value is readonly Declared[] => Array.isArray(value);
      const routers: readonly Router[] = isList(routes) ? [routes] : Object.values(routes);
      return routers
        .filter((router) => !('routes' in router) || (router.type ?? 'admin') === 'admin')
        .flatMap((router) => keysOf(router, `/${name}`));
    });
    return [...ofAdmin.flatMap((router) => keysOf(router, '/admin')), ...ofPlugins];
  }

  interface Layer {
    readonly path: unknown;
    readonly methods: readonly string[];
  }

  /** What can be asked of the running service. */
  const mounted = (): string[] =>
    (service.strapi.server.listRoutes() as unknown as Layer[])
      .filter(({ methods }) => methods.length > 0)
      .map(({ methods, path }) => `${methods.length > 9 ? 'ALL' : methods.at(-1)} ${String(path)}`);

  /** Answered before Strapi's router is asked: closed-paths.test.ts and health.test.ts have them. */
  const IN_FRONT = new Set(['ALL /_health', 'GET /uploads/(.*)']);

  const PARAMETERS: Readonly<Record<string, string>> = {
    ':model': 'api::encounter.encounter',
    ':targetField': 'taxonomy',
    ':uid': 'api::encounter.encounter',
    ':contentType': 'api::encounter.encounter',
    ':id': '999999',
  };
  const addressOf = (path: string): string =>
    path.replace(/:\w+\*?/g, (name) => PARAMETERS[name] ?? 'nothing');

  /** The status of an answer; the panel's page, which stands at every address below `/admin`, is 404. */
  async function statusOf(key: string, as: As): Promise<number> {
    const [method = '', path = ''] = key.split(' ');
    const url = addressOf(path);
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const token = tokens.get(as);
    const { status, headers } = await askPanel(service, token, method, url, body);
    if (/logout|sessions/.test(path)) await signIn(as);
    return String(headers['content-type']).startsWith('text/html') ? 404 : status;
  }

  test('what is mounted is what is listed', () => {
    const strangers = mounted().filter((key) => !(key in ALLOWED) && !IN_FRONT.has(key));
    expect(strangers).toEqual([]);
  });

  test('what is listed is what Strapi has', () => {
    const known = new Set([...declared(), ...mounted(), 'GET /admin/:path*']);
    expect(Object.keys(ALLOWED).filter((key) => !known.has(key))).toEqual([]);
  });

  test('what is not listed is closed, whoever asks', async () => {
    const closed = declared().filter((key) => !(key in ALLOWED));
    expect(closed.length).toBeGreaterThan(100);
    const open: unknown[] = [];
    for (const key of closed) {
      for (const as of ALL) {
        const status = await statusOf(key, as);
        // A path whose other methods are open.
        if (status !== 404 && status !== 405) open.push([key, as, status]);
      }
    }
    expect(open).toEqual([]);
  });

  test.each(['PROPFIND', 'TRACE', 'PATCH'])('%s is a method of none of them', async (method) => {
    const answer = await askPanel(service, undefined, method, '/admin/login', {});
    expect([answer.status, at(answer.body, 'message', 'key'), answer.headers.allow]).toEqual([
      405,
      'API_RESPONSE_METHOD_NOT_ALLOWED',
      'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    ]);
  });

  test.each([
    ['/%00', 400],
    ['/a%00b.js', 400],
    ['/admin/..%2f..%2fpackage.json', 403],
  ])('%s is no file, and no failure', async (url, status) => {
    const failure = jest.spyOn(service.strapi.log, 'error');
    expect((await askPanel(service, undefined, 'GET', url)).status).toBe(status);
    expect(failure).not.toHaveBeenCalled();
    failure.mockRestore();
  });

  const PUBLIC = new Set(['GET /', 'GET /((?!uploads/).+)', 'GET /admin/:path*']);
  const cases = Object.entries(ALLOWED).filter(([key]) => !PUBLIC.has(key));

  test.each(cases)('%s is for: %s', async (key, who) => {
    for (const as of ALL) {
      const status = await statusOf(key, as);
      const isRefused = status === 401 || status === 403;
      if (RANKS[as] < RANKS[who])
        expect([as, isRefused ? 'refused' : status]).toEqual([as, 'refused']);
      else if (who !== 'anyone') expect([as, status]).not.toEqual([as, 401]);
      expect([as, status]).not.toEqual([as, 405]);
      expect(status).toBeLessThan(500);
    }
  });
}
