/** Where the frontends are. */
import type { Core } from '@strapi/strapi';
import { siteOf } from '../../objects/server';
import type { SiteSettings } from '../../objects/server/site';

/**
 * The frontend that links in mails lead to, without a slash at its end. Null where there is none: links lead to pages of
 * the service's own then.
 */
export const frontendOf = (strapi: Core.Strapi): string | null => {
  const url = siteOf(strapi).current().frontendUrl;
  return url === null ? null : url.replace(/\/+$/, '');
};

/** All frontends that may call with credentials, as they are now; the same list until they change. */
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
