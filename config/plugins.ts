import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

/** A function: each load of Strapi reads the environment anew. */
export default (): Core.Config.Plugin => {
  const environment = readEnvironment();
  const { publicUrl, frontendUrl } = environment;
  return {
    wire: { enabled: true, resolve: './src/plugins/wire', config: { publicUrl, frontendUrl } },
    objects: { enabled: true, resolve: './src/plugins/objects' },
    accounts: { enabled: true, resolve: './src/plugins/accounts' },
    exchange: { enabled: true, resolve: './src/plugins/exchange' },
    'users-permissions': { config: { jwtSecret: readSecrets(environment).jwtSecret } },
    upload: { config: { provider: 'local', sizeLimit: 25 * 1024 * 1024 } },
  };
};
