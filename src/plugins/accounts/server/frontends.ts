/** Where the frontends are. */
import type { Core } from '@strapi/strapi';
import { siteOf } from '../../objects/server';
import type { SiteSettings } from '../../objects/server/site';

const DEFAULT = 'http://localhost:3000';

/** The frontend that links in mails lead to, without a slash at its end: what the environment says, else the site. */
export const frontendOf = (strapi: Core.Strapi): string => {
  const url =
    strapi.config.get<string | null>('plugin::accounts.frontendUrl') ??
    siteOf(strapi).current().frontendUrl ??
    DEFAULT;
  return url.replace(/\/+$/, '');
};

/** All frontends that may call with credentials, as they are now; the same list until they change. */
export function frontendsOf(strapi: Core.Strapi): () => readonly string[] {
  let last: SiteSettings | null = null;
  let frontends: readonly string[] = [];
  return () => {
    const settings = siteOf(strapi).current();
    if (settings !== last) {
      last = settings;
      frontends = [frontendOf(strapi), ...settings.allowedOrigins];
    }
    return frontends;
  };
}
