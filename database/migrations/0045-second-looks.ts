/** Encounters at which somebody else should look before they are decided (`src/plugins/panel/server/second-looks`). */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_second_looks')) return;
  await knex.schema.createTable('oms_second_looks', (table) => {
    table.string('encounter', 36).primary();
  });
}
