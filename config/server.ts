import type { Core } from '@strapi/strapi';
import { publicDirectory } from '../src/boot/data-directory';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

/** A function, so that each load of Strapi reads the environment again. */
export default (): Core.Config.Server => {
  const environment = readEnvironment();
  return {
    host: environment.host,
    port: environment.port,
    url: environment.publicUrl,
    app: { keys: [...readSecrets(environment).appKeys] },
    dirs: { public: publicDirectory(environment.dataDir) },
    proxy: {
      // TLS ends at a proxy, never here. The last address is the one that the nearest proxy saw; the client may have
      // invented the others.
      koa: environment.publicUrl.startsWith('https:') || environment.trustedProxies.length > 0,
      maxIpsCount: 1,
    },
    http: {
      serverOptions: {
        // Node knows one time for whatever comes: what a body may take depends on its size (wire/server/slow-bodies.ts).
        requestTimeout: 0,
        headersTimeout: 15_000,
        // The pipeline refuses it, with the envelope.
        requireHostHeader: false,
      },
    },
    // With the default, the holder of a token could replace the whole database over HTTP.
    transfer: { remote: { enabled: false } },
    logger: { updates: { enabled: false }, startup: { enabled: false } },
  };
};
