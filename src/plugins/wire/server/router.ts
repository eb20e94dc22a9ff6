/** The paths of /api/v0 and the routes of their methods. */
import createRouter from 'find-my-way';
import type { Route } from './request';

/** A path that exists, with its parameters and the routes by method. */
export interface Match {
  readonly params: Readonly<Record<string, string>>;
  readonly methods: ReadonlyMap<string, Route>;
}

export interface PathRouter {
  /** @returns null for a path that does not exist */
  find(path: string): Match | null;
}

/** Builds the router. Paths are case-sensitive; a slash at the end is ignored. */
export function createPathRouter(routes: readonly Route[]): PathRouter {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>();
    methods.set(route.method, route);
    byPath.set(route.path, methods);
  }
  // An ID that is too long is the ID of no object (402), not an unknown path (404).
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength: 65_536 });
  for (const [path, methods] of byPath) router.on('GET', `/api${path}`, noHandler, methods);
  return {
    find(path) {
      // Paths are not percent-decoded: no path or ID of ours has a percent sign.
      const found = router.find('GET', path.includes('%') ? path.replaceAll('%', '%25') : path);
      // The library accepts an empty parameter between two slashes.
      if (!found || Object.values(found.params).includes('')) return null;
      return {
        params: found.params as Record<string, string>,
        methods: found.store as Map<string, Route>,
      };
    },
  };
}

/** Never called: the pipeline calls the routes that the router finds. */
const noHandler = (): void => undefined;
