import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';
import { emailPlugin } from '../src/plugins/accounts/server/mail/transport';

/** A function: each load of Strapi reads the environment anew. */
export default (): Core.Config.Plugin => {
  const environment = readEnvironment();
  const { publicUrl, trustedProxies, limits } = environment;
  return {
    wire: { enabled: true, resolve: './src/plugins/wire', config: { publicUrl, trustedProxies } },
    objects: { enabled: true, resolve: './src/plugins/objects' },
    accounts: {
      enabled: true,
      resolve: './src/plugins/accounts',
      config: { publicUrl, limits },
    },
    panel: { enabled: true, resolve: './src/plugins/panel' },
    exchange: { enabled: true, resolve: './src/plugins/exchange' },
    'users-permissions': {
      config: {
        jwtSecret: readSecrets(environment).jwtSecret,
        // Its own controllers for the account list demand what our accounts do not have.
        layout: { user: { actions: { create: null, update: null } } },
      },
    },
    email: { config: emailPlugin(environment) },
    upload: { config: { provider: 'local', sizeLimit: 25 * 1024 * 1024 } },
  };
};
