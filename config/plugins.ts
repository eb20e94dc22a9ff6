import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';
import { s3Provider } from '../src/plugins/assets/server/storage/s3';
import { emailPlugin } from '../src/plugins/accounts/server/mail/transport';

/** A function, so that each load of Strapi reads the environment again. */
export default (): Core.Config.Plugin => {
  const environment = readEnvironment();
  const { publicUrl, trustedProxies, limits, dataDir, s3 } = environment;
  return {
    wire: { enabled: true, resolve: './src/plugins/wire', config: { publicUrl, trustedProxies } },
    objects: { enabled: true, resolve: './src/plugins/objects' },
    accounts: {
      enabled: true,
      resolve: './src/plugins/accounts',
      config: { publicUrl, limits },
    },
    assets: { enabled: true, resolve: './src/plugins/assets', config: { dataDir, s3 } },
    panel: { enabled: true, resolve: './src/plugins/panel' },
    exchange: { enabled: true, resolve: './src/plugins/exchange' },
    'users-permissions': {
      config: {
        jwtSecret: readSecrets(environment).jwtSecret,
        // The plugin's controllers for the list of accounts require attributes that our accounts do not have.
        layout: { user: { actions: { create: null, update: null } } },
      },
    },
    email: { config: emailPlugin(environment) },
    upload: { config: s3 ? s3Provider(s3) : { provider: 'local' } },
  };
};
