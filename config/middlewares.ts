import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { readEnvironment, type Environment } from '../src/boot/environment';

/** The parser attaches the whole body to its error, which would be logged. */
function refuseBody({ status }: { readonly status?: number }): never {
  throw status === 413
    ? new errors.PayloadTooLargeError('The body is too large.')
    : new errors.ValidationError('The body is no JSON.');
}

/** Strapi's policy for the panel, with the origin of the tiles of its maps in place of Strapi's marketplace. */
function security(mapTiles: Environment['mapTiles']): Core.Config.Middlewares[number] {
  if (mapTiles === null) return 'strapi::security';
  const images = ["'self'", 'data:', 'blob:', new URL(mapTiles.url).origin];
  return {
    name: 'strapi::security',
    config: { contentSecurityPolicy: { directives: { 'img-src': images } } },
  };
}

/**
 * Strapi's own chain, for the panel and its routes: /api/v0 is answered before it, with its own log. Only middlewares
 * that Strapi requires are here.
 */
export default (): Core.Config.Middlewares => {
  const { publicUrl, mapTiles } = readEnvironment();
  return [
    'strapi::errors',
    // Handles errors that Strapi would treat as internal: an unavailable database, an invalid query.
    'plugin::panel.failures',
    security(mapTiles),
    // By default Strapi allows any origin, with credentials; the panel has this one.
    { name: 'strapi::cors', config: { origin: [publicUrl] } },
    'strapi::query',
    // By default Strapi writes multipart bodies of up to 200 MiB to disk, on every path, before any login.
    {
      name: 'strapi::body',
      config: {
        multipart: false,
        jsonLimit: '1mb',
        formLimit: '64kb',
        textLimit: '64kb',
        onError: refuseBody,
      },
    },
    { name: 'strapi::favicon', config: { path: 'public/favicon.ico' } },
    'strapi::public',
  ];
};
