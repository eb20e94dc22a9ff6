import type { Core } from '@strapi/strapi';

/**
 * Makes the database of a Strapi that is not loaded yet, with the migrations below `distDir`. Strapi makes it when it is
 * first asked for, and looks for migrations below the root of the app then; that it also finds compiled ones
 * (`useTypescriptMigrations`) costs a tenth of a start, in which it loads the compiler of TypeScript.
 */
export function makeDatabase(strapi: Core.Strapi, distDir: string): void {
  const { config } = strapi;
  const { root } = strapi.dirs.app;
  config.set('database.settings.useTypescriptMigrations', false);
  config.set('dirs.app.root', distDir);
  try {
    strapi.get('db');
  } finally {
    config.set('dirs.app.root', root);
  }
}
