/**
 * The panel's files. The build stores compressed copies beside them, which Strapi serves to clients that accept them.
 */
import type { Core } from '@strapi/strapi';

/** Adds the `Vary` header for caches, which Strapi does not send. To be called in `register`. */
export function varyByEncoding(strapi: Core.Strapi): void {
  strapi.server.use((ctx, next) => {
    if (ctx.path.startsWith('/admin/')) ctx.vary('Accept-Encoding');
    return next();
  });
}
