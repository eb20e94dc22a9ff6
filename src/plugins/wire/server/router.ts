/** The paths of /api/v0 and what answers each method of them. */
import createRouter from 'find-my-way';
import type { Route } from './request';

/** A path that exists, with its parameters and what each of its methods does. */
export interface Match {
  readonly params: Readonly<Record<string, string>>;
  readonly methods: ReadonlyMap<string, Route>;
}

export interface PathRouter {
  /** @returns null for a path that does not exist */
  find(path: string): Match | null;
}

/** Builds the router. Paths are exact to the letter; a slash at the end is ignored. */
export function createPathRouter(routes: readonly Route[]): PathRouter {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>();
    methods.set(route.method, route);
    byPath.set(route.path, methods);
  }
  // An ID of any length is an ID that nothing has, not a path that does not exist.
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength: 65_536 });
  for (const [path, methods] of byPath) router.on('GET', `/api${path}`, noHandler, methods);
  return {
    find(path) {
      // Percent signs are taken as they are: no path of ours has one, and no ID.
      const found = router.find('GET', path.includes('%') ? path.replaceAll('%', '%25') : path);
      // It takes the nothing between two slashes for a parameter.
      if (!found || Object.values(found.params).includes('')) return null;
      return {
        params: found.params as Record<string, string>,
        methods: found.store as Map<string, Route>,
      };
    },
  };
}

/** The router only finds; the pipeline calls. */
const noHandler = (): void => undefined;
