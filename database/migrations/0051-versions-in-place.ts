/**
 * By which code what is kept in place was made (`src/plugins/objects/server/search/projection/versions/in-place.ts`); and until
 * when the words of a type wait to be made anew: servers of other code may write them for a moment.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('oms_kept_versions')))
    await knex.schema.createTable('oms_kept_versions', (table) => {
      table.string('type', 64).notNullable();
      table.string('name', 64).notNullable();
      table.string('state', 16).notNullable();
      table.text('declaration').notNullable();
      table.integer('number').notNullable();
      table.primary(['type', 'name']);
    });
  if (!(await knex.schema.hasColumn('oms_search_jobs', 'due_at')))
    await knex.schema.alterTable('oms_search_jobs', (table) => {
      table.bigInteger('due_at').notNullable().defaultTo(0); // milliseconds since 1970
    });
}
