import type { Core } from '@strapi/strapi';
import { publicDirectory } from '../src/boot/data-directory';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

/** A function: each load of Strapi reads the environment anew. */
export default (): Core.Config.Server => {
  const environment = readEnvironment();
  return {
    host: environment.host,
    port: environment.port,
    url: environment.publicUrl,
    app: { keys: [...readSecrets(environment).appKeys] },
    dirs: { public: publicDirectory(environment.dataDir) },
    proxy: {
      // TLS ends at a proxy, never here. The last address is the one that the nearest proxy saw; those before it
      // are the client's own words.
      koa: environment.publicUrl.startsWith('https:') || environment.trustedProxies.length > 0,
      maxIpsCount: 1,
    },
    // Node's defaults keep a half-sent request open for 300 s.
    http: {
      serverOptions: {
        requestTimeout: 60_000,
        headersTimeout: 15_000,
        // Refused in the pipeline, with the envelope.
        requireHostHeader: false,
      },
    },
    // On by default; it would let a token holder replace the whole database over HTTP.
    transfer: { remote: { enabled: false } },
    logger: { updates: { enabled: false }, startup: { enabled: false } },
  };
};
