/**
 * The versions of the tables that are made for searches: which one is read, and which one is being filled
 * (`src/plugins/objects/server/search/projection/versions`). The tables themselves follow from the declarations of the types,
 * and take no migration.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_projections')) return;
  await knex.schema.createTable('oms_projections', (table) => {
    table.string('type', 64).notNullable();
    table.string('hash', 64).notNullable();
    table.string('state', 16).notNullable();
    table.string('table_name', 63).notNullable();
    table.text('declaration').notNullable();
    table.integer('number').notNullable();
    table.string('release', 64).notNullable();
    table.bigInteger('position'); // of the last object that is done, while it is being filled
    table.bigInteger('since'); // milliseconds since 1970 by the clock of the database
    table.primary(['type', 'hash']);
  });
}
