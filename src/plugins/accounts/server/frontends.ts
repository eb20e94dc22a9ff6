/** The addresses of the frontends. */
import type { Core } from '@strapi/strapi';
import { siteOf } from '../../objects/server';
import type { SiteSettings } from '../../objects/server/site/settings';

/**
 * The frontend for links in mails, without a slash at its end. Null without one; links lead to the service's own pages
 * then.
 */
export const frontendOf = (strapi: Core.Strapi): string | null => {
  const url = siteOf(strapi).current().frontendUrl;
  return url === null ? null : url.replace(/\/+$/, '');
};

/** The current frontends that may send credentials; the same array until they change. */
export function frontendsOf(strapi: Core.Strapi): () => readonly string[] {
  let last: SiteSettings | null = null;
  let frontends: readonly string[] = [];
  return () => {
    const settings = siteOf(strapi).current();
    if (settings !== last) {
      last = settings;
      const frontend = frontendOf(strapi);
      frontends = [...(frontend === null ? [] : [frontend]), ...settings.allowedOrigins];
    }
    return frontends;
  };
}
