import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { readEnvironment } from '../src/boot/environment';

/** The parser hangs the whole body on its error, which is logged as it is. */
function refuseBody({ status }: { readonly status?: number }): never {
  throw status === 413
    ? new errors.PayloadTooLargeError('The body is too large.')
    : new errors.ValidationError('The body is no JSON.');
}

/**
 * Strapi's own chain, for the panel and its routes: /api/v0 is answered before it, with a log of its own. All
 * that Strapi insists on is here, and nothing else.
 */
export default (): Core.Config.Middlewares => [
  'strapi::errors',
  // What Strapi would call an internal error and is none: a database that is away, a query that cannot be asked.
  'plugin::panel.failures',
  'strapi::security',
  // By default any origin is reflected, with credentials; the panel comes from this one.
  { name: 'strapi::cors', config: { origin: [readEnvironment().publicUrl] } },
  'strapi::query',
  // Multipart would be written to disk on every path, up to 200 MiB, before any login.
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
