/** What individuals are to each other: one row for each edge. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_relationships', (table) => {
    // The IDs of rows: of the young one and its parent; of others, the lower one first.
    table.integer('source').notNullable();
    table.integer('target').notNullable();
    table.string('type', 16).notNullable();
    table.primary(['source', 'target', 'type']);
    table.index(['target'], 'oms_relationships_target_ix');
  });
}
