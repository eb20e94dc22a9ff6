import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

/** A function, so that each load of Strapi reads the environment again. */
export default (): Core.Config.Admin => {
  const environment = readEnvironment();
  const secrets = readSecrets(environment);
  return {
    autoOpen: false,
    auth: {
      secret: secrets.adminJwtSecret,
      // By default Strapi depends on the scheme of the request, which a proxy that ends TLS need not report. A value in
      // any case (null, which Strapi's types lack, for the default): Strapi merges this into an object of its module,
      // which the next instance in this process would inherit.
      cookie: { secure: environment.publicUrl.startsWith('https:') || (null as never) },
      sessions: { maxRefreshTokenLifespan: 30 * 24 * 3600, maxSessionLifespan: 30 * 24 * 3600 },
    },
    // Sign-ins have the same limits as logins to the API, in the database.
    rateLimit: { enabled: false },
    apiToken: { salt: secrets.apiTokenSalt },
    transfer: { token: { salt: secrets.transferTokenSalt } },
    secrets: { encryptionKey: secrets.encryptionKey },
    ai: { enabled: false },
    flags: { nps: false, promoteEE: false, docLinks: false },
    preview: { enabled: false, config: { allowedOrigins: [], handler: () => null } },
  };
};
