/**
 * Strapi's own pages that are replaced or closed: its router is changed by a function that is marked alpha
 * (`app.router.addRoute`), and its pages are found by their paths.
 */
import { lazy, Suspense, type ComponentType } from 'react';
import { Navigate } from 'react-router-dom';
import { Page, useAuth, type StrapiApp } from '@strapi/strapi/admin';

type PageModule = { readonly default: ComponentType };

/** The codes of the roles that accounts of the service have (`server/accounts/panel-users.ts`). */
const MODERATOR = 'oms-moderator';
const ADMINISTRATOR = 'oms-administrator';

const useHasRole = (...roles: readonly string[]): boolean =>
  useAuth(
    'useHasRole',
    ({ user }) => user?.roles?.some(({ code }) => roles.includes(code)) === true,
  );

/** Whether the signed-in user has an account of the service: no operator, who has Strapi's own pages. */
export const useIsOurs = (): boolean => useHasRole(MODERATOR, ADMINISTRATOR);

/** Whether the signed-in user is an administrator of the service. */
export const useIsAdministrator = (): boolean => useHasRole(ADMINISTRATOR);

/** Pages of ours, in place of Strapi's. */
export interface OurPages {
  /** At `/admin`. */
  readonly home: () => Promise<PageModule>;
  /** At `/admin/me`. */
  readonly profile: () => Promise<PageModule>;
}

/** To be called in `register`, before the router is made. */
export function replaceRoutes(app: StrapiApp, pages: OurPages): void {
  app.router.addRoute(((routes: readonly RouteObject[]) => changed(routes, pages)) as never);
}

interface RouteObject {
  readonly index?: boolean;
  readonly path?: string;
  readonly lazy?: () => Promise<{ readonly Component: ComponentType }>;
  readonly children?: readonly RouteObject[];
}

/** @throws Error where a page is not where it was */
function changed(routes: readonly RouteObject[], { home, profile }: OurPages): RouteObject[] {
  const index = found('/', (route) => route.index === true, routes);
  const me = found('me', ({ path }) => path === 'me', routes);
  const settings = found('settings/*', ({ path }) => path === 'settings/*', routes);
  const replaced = new Map([
    [index, forOurs(home, index)],
    [me, { ...me, lazy: async () => ({ Component: (await profile()).default }) }],
    [settings, forOperators(settings)],
  ]);
  return routes.map((route) => replaced.get(route) ?? route);
}

function found(
  path: string,
  isIt: (route: RouteObject) => boolean,
  routes: readonly RouteObject[],
): RouteObject {
  const route = routes.find(isIt);
  if (!route?.lazy) throw new Error(`Strapi has no page at ${path}`);
  return route;
}

/**
 * Our page for the accounts of the service. Operators may not be allowed to call the API, which the page needs: they get
 * Strapi's page, which is loaded for them only.
 */
const forOurs = (page: () => Promise<PageModule>, route: RouteObject): RouteObject => ({
  ...route,
  lazy: async () => {
    const Ours = (await page()).default;
    const Strapis = lazy(async () => ({ default: (await route.lazy?.())?.Component ?? Ours }));
    const Component = () =>
      useIsOurs() ? (
        <Ours />
      ) : (
        <Suspense fallback={<Page.Loading />}>
          <Strapis />
        </Suspense>
      );
    return { Component };
  },
});

/** Strapi's settings are about Strapi: its version, its plans, and users and roles that accounts do not have. */
const forOperators = (route: RouteObject): RouteObject => ({
  ...route,
  lazy: async () => {
    const Settings = (await route.lazy?.())?.Component ?? (() => null);
    return {
      Component: () => (useIsOurs() ? <Navigate to="/" replace /> : <Settings />),
    };
  },
});
