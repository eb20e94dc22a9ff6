/** Searches by external ID have an index of their own; the table of encounters needs none of those that searches used. */
import type { Core } from '@strapi/strapi';

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  await knex.raw(
    'create index oms_search_encounters_external_ix on oms_search_encounters (external_id, time_start)',
  );
}
