/** The keys of the names of individuals, each of which one individual alone may have. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_individual_names', (table) => {
    table.string('key', 64).primary(); // SHA-256, hex
    table.integer('object').notNullable(); // the ID of the row
    table.text('value').notNullable(); // folded
    table.index(['object'], 'oms_individual_names_object_ix');
  });
}
