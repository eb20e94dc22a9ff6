import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

/** A function: each load of Strapi reads the environment anew. */
export default (): Core.Config.Admin => {
  const environment = readEnvironment();
  const secrets = readSecrets(environment);
  return {
    autoOpen: false,
    auth: {
      secret: secrets.adminJwtSecret,
      // Strapi goes by how it was reached, and a proxy that ends TLS need not say so. A value in either case
      // (null: not said, which its types lack): Strapi merges this into an object of its module, where the next
      // instance in this process would find the last one's.
      cookie: { secure: environment.publicUrl.startsWith('https:') || (null as never) },
      sessions: { maxRefreshTokenLifespan: 30 * 24 * 3600, maxSessionLifespan: 30 * 24 * 3600 },
    },
    // Whoever signs in is counted like one who logs in to the API, in the database.
    rateLimit: { enabled: false },
    apiToken: { salt: secrets.apiTokenSalt },
    transfer: { token: { salt: secrets.transferTokenSalt } },
    secrets: { encryptionKey: secrets.encryptionKey },
    ai: { enabled: false },
    flags: { nps: false, promoteEE: false, docLinks: false },
    preview: { enabled: false, config: { allowedOrigins: [], handler: () => null } },
  };
};
