import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';

/**
 * Strapi's own chain, for the panel and its routes: /api/v0 is answered before it, with a log of its own. All
 * that Strapi insists on is here, and nothing else.
 */
export default (): Core.Config.Middlewares => [
  'strapi::errors',
  'strapi::security',
  // By default any origin is reflected, with credentials; the panel comes from this one.
  { name: 'strapi::cors', config: { origin: [readEnvironment().publicUrl] } },
  'strapi::query',
  // Multipart would be written to disk on every path, up to 200 MiB, before any login.
  {
    name: 'strapi::body',
    config: { multipart: false, jsonLimit: '1mb', formLimit: '64kb', textLimit: '64kb' },
  },
  { name: 'strapi::favicon', config: { path: 'public/favicon.ico' } },
  'strapi::public',
];
