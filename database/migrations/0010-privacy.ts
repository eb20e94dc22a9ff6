/**
 * Encounters that have to be generalized anew, because the location privacy of a taxon or of the site has changed; and
 * the order of those that are. At first these are all: an earlier version had none.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_privacy_jobs', (table) => {
    table.integer('taxon').primary(); // the ID of the row; 0 for encounters of any taxon and of none
    table.integer('position').notNullable(); // the ID of the row of the last encounter that is done
    table.bigInteger('due_at').notNullable();
  });
  // A new database has no encounters: an import makes what is kept of them, and nothing is left to be done.
  if ((await knex.schema.hasTable('encounters')) && (await knex('encounters').first('id')))
    await knex('oms_privacy_jobs').insert({ taxon: 0, position: 0, due_at: 0 });
  await knex.schema.alterTable('oms_generalized', (table) => {
    table.string('document_id', 36);
    table.index(
      ['owner', 'time_start', 'time_end', 'document_id'],
      'oms_generalized_owner_order_ix',
    );
    table.dropIndex(['owner', 'time_start'], 'oms_generalized_owner_ix');
  });
}
