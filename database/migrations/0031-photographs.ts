/** Photographs: what their assets say of how far they are told, and the hashes of those that were never told. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_kept_photographs', (table) => {
    table.string('sha256', 64).primary();
    table.integer('level').notNullable(); // of the strictest encounter that was not open when it lost them
  });
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('assets'))) return;
  await knex.schema.alterTable('assets', (table) => {
    table.string('location_privacy', 255);
    table.string('level', 255);
    table.index(['sha_256'], 'assets_sha256_ix');
  });
  // The job for all encounters raises it; until that is done, no level that is stored counts.
  await knex('assets').update({ level: 'open' });
}
