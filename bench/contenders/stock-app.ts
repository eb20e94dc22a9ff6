/**
 * Writes an app like Strapi's own generator, in its own folder: optionally with our content types, with Strapi's core
 * routes, controllers and services, open to everyone. Only the database settings are ours, because they have to be the
 * same.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appRoot, distRoot } from '../../src/boot/app-root';
import { version } from '@strapi/strapi/package.json';

/** The stock middlewares of a new app, in their order. */
const MIDDLEWARES = [
  'strapi::logger',
  'strapi::errors',
  'strapi::security',
  'strapi::cors',
  'strapi::poweredBy',
  'strapi::query',
  'strapi::body',
  'strapi::session',
  { name: 'strapi::favicon', config: { path: join(appRoot, 'public', 'favicon.ico') } },
  'strapi::public',
];

/**
 * @param folder where the app is written; its database is that of the environment it is started in
 * @param withTypes whether it has our content types; without, it is a Strapi with nothing in it
 */
export function writeStockApp(folder: string, withTypes: boolean): void {
  write(folder, 'package.json', json(packageJson));
  symlinkSync(join(appRoot, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
  for (const name of ['admin', 'database', 'server']) {
    write(folder, `config/${name}.js`, `module.exports = require(${ourConfig(name)});`);
  }
  write(folder, 'config/plugins.js', PLUGINS);
  const panel = 'src/plugins/panel';
  write(folder, `${panel}/package.json`, json({ name: 'panel', strapi: { kind: 'plugin' } }));
  write(folder, `${panel}/strapi-server.js`, PANEL);
  // One line per request, in the service's format; Strapi's default is colored text.
  write(
    folder,
    'config/logger.js',
    `module.exports = { ...require(${ourConfig('logger')}).default, level: 'http' };`,
  );
  write(folder, 'config/middlewares.js', `module.exports = ${json(MIDDLEWARES)};`);
  const types = withTypes ? copyTypes(folder) : [];
  write(folder, 'src/index.js', index(types));
}

const packageJson = {
  name: 'stock',
  version: '0.0.0',
  private: true,
  dependencies: { '@strapi/strapi': version, '@strapi/plugin-users-permissions': version },
  strapi: { telemetryDisabled: true },
};

const PLUGINS = `module.exports = {
  'users-permissions': { config: { jwtSecret: 'bench' } },
  panel: { enabled: true, resolve: './src/plugins/panel' },
};`;

/** Of our panel only the names of its inputs, which attributes of our types have. */
const PANEL = `const inputs = require(${JSON.stringify(join(distRoot, 'src', 'plugins', 'panel', 'server', 'inputs.js'))});
module.exports = () => ({ register: ({ strapi }) => inputs.registerInputs(strapi) });`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const ourConfig = (name: string): string => JSON.stringify(join(distRoot, 'config', `${name}.js`));

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}

/** @returns the UIDs of the content types */
function copyTypes(folder: string): string[] {
  const extensions = join(appRoot, 'src', 'extensions');
  if (existsSync(extensions)) {
    const filter = (path: string): boolean => !/\.[jt]s$/.test(path);
    cpSync(extensions, join(folder, 'src', 'extensions'), { recursive: true, filter });
  }
  const apis = join(appRoot, 'src', 'api');
  return readdirSync(apis).flatMap((name) => {
    const contentTypes = join(apis, name, 'content-types');
    if (!existsSync(contentTypes)) return [];
    cpSync(contentTypes, join(folder, 'src', 'api', name, 'content-types'), { recursive: true });
    const uid = `api::${name}.${name}`;
    for (const part of ['Router', 'Controller', 'Service']) {
      const place = part === 'Router' ? 'routes' : `${part.toLowerCase()}s`;
      const factory = `require('@strapi/strapi').factories.createCore${part}`;
      write(
        folder,
        `src/api/${name}/${place}/${name}.js`,
        `module.exports = ${factory}('${uid}');`,
      );
    }
    return [uid];
  });
}

/** Grants permissions as Settings > Users & Permissions > Roles > Public does. */
const index = (types: readonly string[]): string => `
const actions = ['find', 'findOne', 'create', 'update', 'delete'];
module.exports = {
  async bootstrap({ strapi }) {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const role = await strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { type: 'public' } });
    for (const action of ${json(types)}.flatMap((uid) => actions.map((name) => uid + '.' + name))) {
      const known = await permissions.findOne({ where: { action, role: role.id } });
      if (!known) await permissions.create({ data: { action, role: role.id } });
    }
  },
};`;
