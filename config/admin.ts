import type { Core } from '@strapi/strapi';
import { readEnvironment } from '../src/boot/environment';
import { readSecrets } from '../src/boot/secrets';

const secrets = readSecrets(readEnvironment());

const config: Core.Config.Admin = {
  autoOpen: false,
  auth: {
    secret: secrets.adminJwtSecret,
    sessions: { maxRefreshTokenLifespan: 30 * 24 * 3600, maxSessionLifespan: 30 * 24 * 3600 },
  },
  apiToken: { salt: secrets.apiTokenSalt },
  transfer: { token: { salt: secrets.transferTokenSalt } },
  secrets: { encryptionKey: secrets.encryptionKey },
  flags: { nps: false, promoteEE: false, docLinks: false },
  preview: { enabled: false, config: { allowedOrigins: [], handler: () => null } },
};

export default config;
