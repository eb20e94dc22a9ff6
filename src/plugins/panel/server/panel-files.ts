/** The files of the panel's pages. The build has put compressed ones beside them, of which Strapi gives what is taken. */
import type { Core } from '@strapi/strapi';

/** Tells caches that there are several: Strapi does not. In `register`. */
export function varyByEncoding(strapi: Core.Strapi): void {
  strapi.server.use((ctx, next) => {
    if (ctx.path.startsWith('/admin/')) ctx.vary('Accept-Encoding');
    return next();
  });
}
