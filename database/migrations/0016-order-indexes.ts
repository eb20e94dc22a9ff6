/**
 * The indexes of the times of creation and change have the ID beside them now, under other names: Strapi cannot change an
 * index on SQLite. Objects that were imported together have the same times, and are listed in the order of their IDs.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const TABLES = [
  'assets',
  'collaborations',
  'encounters',
  'individuals',
  'orgs',
  'taxonomies',
  'up_users',
] as const;

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES)
    for (const column of ['created_at', 'updated_at'])
      await knex.raw(`drop index if exists ${table}_${column}_ix`);
}
