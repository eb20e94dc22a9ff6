/** Nothing lists hidden encounters by their individual: strangers are not told it. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('oms_generalized', (table) => {
    table.dropColumn('individual');
  });
}
