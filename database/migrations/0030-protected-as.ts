/**
 * The taxon that an encounter is protected as through its individual, before anybody can read it by the new rules; the
 * settings of the site that decide what strangers are told; and jobs by what they are about. All encounters are generalized
 * anew.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.dropTable('oms_privacy_jobs');
  await knex.schema.createTable('oms_privacy_jobs', (table) => {
    table.string('kind', 20).notNullable(); // whose encounters: privacy/jobs.ts
    table.integer('target').notNullable(); // the ID of a row; 0 where the kind has none
    table.integer('position').notNullable(); // the ID of the row of the last encounter that is done
    table.bigInteger('due_at').notNullable();
    table.primary(['kind', 'target']);
  });
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('encounters'))) return;
  await knex.schema.alterTable('encounters', (table) => {
    table.integer('protected_as_id').unsigned();
  });
  await knex.schema.alterTable('taxonomies', (table) => {
    table.integer('protected_below');
  });
  await knex.schema.alterTable('site_settings', (table) => {
    table.boolean('protect_unidentified').defaultTo(true);
    table.string('hidden_tells', 255).defaultTo('place');
    table.boolean('show_owner_when_hidden').defaultTo(false);
  });
  await knex.raw(`update encounters set protected_as_id =
      (select i.taxonomy_id from individuals i where i.id = encounters.individual_id)
    where individual_id is not null`);
  // What is kept with taxa is computed anew: synonyms inherit from their accepted names now.
  await knex('taxonomies').update({ effective_privacy: null });
  if (await knex('encounters').first('id'))
    await knex('oms_privacy_jobs').insert({ kind: 'all', target: 0, position: 0, due_at: 0 });
}
