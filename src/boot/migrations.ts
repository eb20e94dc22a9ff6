/** The migrations: where Strapi finds them, and the names under which databases have noted them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Core } from '@strapi/strapi';

/** The table in which Strapi notes the migrations that it has run, by the names of their files. */
export const APPLIED = 'strapi_migrations';

/** The name of a migration: a counter, which is the order in which they run, and what it does. */
export const MIGRATION_NAME = /^(\d{4})-([a-z0-9-]+)\.js$/;

/** A name of before the counter: a date, of which some were in the future. */
const DATED_NAME = /^2026-\d\d-\d\d-\d+-([a-z0-9-]+)\.js$/;

const DIRECTORY = join('database', 'migrations');

/** The names of the compiled migrations, in the order in which they run. */
export const migrationNames = (distDir: string): string[] =>
  readdirSync(join(distDir, DIRECTORY))
    .filter((name) => name.endsWith('.js'))
    .sort();

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

/**
 * Gives the migrations that a database has noted under their former names their present ones, so that none runs twice.
 * To be called before Strapi is loaded, which runs those that are not noted.
 */
export async function renameAppliedMigrations(strapi: Core.Strapi, distDir: string): Promise<void> {
  const { connection } = strapi.db;
  if (!(await connection.schema.hasTable(APPLIED))) return;
  const present = presentNames(distDir);
  for (const name of await connection(APPLIED).pluck<string[]>('name')) {
    const renamed = present(name);
    if (renamed !== name) await connection(APPLIED).where({ name }).update({ name: renamed });
  }
}

/** Gives a migration that a database has noted under a former name its present one; any other name stays. */
export function presentNames(distDir: string): (name: string) => string {
  const present = new Map(
    migrationNames(distDir).map((name) => [MIGRATION_NAME.exec(name)?.[2], name]),
  );
  return (name) => present.get(DATED_NAME.exec(name)?.[1] ?? '') ?? name;
}

/** The migrations of this release that a database has not noted, in the order in which they run. */
export function pendingMigrations(applied: readonly string[], distDir: string): string[] {
  const noted = new Set(applied.map(presentNames(distDir)));
  return migrationNames(distDir).filter((name) => !noted.has(name));
}

/** The file of a compiled migration. */
export const migrationFile = (distDir: string, name: string): string =>
  join(distDir, DIRECTORY, name);
