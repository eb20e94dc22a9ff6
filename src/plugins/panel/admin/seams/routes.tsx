/**
 * Strapi's own pages that are replaced or closed: its router is changed by a function that is marked alpha
 * (`app.router.addRoute`), and its pages are found by their paths.
 */
import type { ComponentType } from 'react';
import { Navigate } from 'react-router-dom';
import { useAuth, type StrapiApp } from '@strapi/strapi/admin';

type Page = { readonly default: ComponentType };

/** The codes of the roles that accounts of the service have (`server/accounts/panel-users.ts`). */
const OURS: ReadonlySet<string> = new Set(['oms-moderator', 'oms-administrator']);

/** Whether the signed-in user has an account of the service: no operator, who has Strapi's own pages. */
export const useIsOurs = (): boolean =>
  useAuth('useIsOurs', ({ user }) => user?.roles?.some(({ code }) => OURS.has(code)) === true);

/** To be called in `register`, before the router is made. @param profile what is at `/admin/me` */
export function replaceRoutes(app: StrapiApp, profile: () => Promise<Page>): void {
  app.router.addRoute(((routes: readonly RouteObject[]) => changed(routes, profile)) as never);
}

interface RouteObject {
  readonly path?: string;
  readonly lazy?: () => Promise<{ readonly Component: ComponentType }>;
  readonly children?: readonly RouteObject[];
}

/** @throws Error where a page is not where it was */
function changed(routes: readonly RouteObject[], profile: () => Promise<Page>): RouteObject[] {
  const [me, settings] = [at(routes, 'me'), at(routes, 'settings/*')];
  return routes.map((route) => {
    if (route === me)
      return { ...route, lazy: async () => ({ Component: (await profile()).default }) };
    return route === settings ? { ...route, lazy: forOperators(settings) } : route;
  });
}

function at(routes: readonly RouteObject[], path: string): RouteObject {
  const found = routes.find((route) => route.path === path);
  if (!found?.lazy) throw new Error(`Strapi has no page at ${path}`);
  return found;
}

/** Strapi's settings are about Strapi: its version, its plans, and users and roles that accounts do not have. */
const forOperators =
  ({ lazy }: RouteObject): NonNullable<RouteObject['lazy']> =>
  async () => {
    const Settings = (await lazy?.())?.Component ?? (() => null);
    return {
      Component: () => (useIsOurs() ? <Navigate to="/" replace /> : <Settings />),
    };
  };
