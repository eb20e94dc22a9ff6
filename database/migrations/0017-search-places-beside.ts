/**
 * The indexes by which encounters of a country or a taxon are searched have the position beside them, too: what is in an
 * area of a map as well is counted without the rows of the table.
 */
import type { Core } from '@strapi/strapi';

const DECIDING = ['audience', 'level', 'owner_id', 'state', 'id'];
const INDEXES = {
  taxonomy: ['taxonomy_id, time_start', 'country_code'],
  country: ['country_code, time_start', 'taxonomy_id'],
} as const;

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  for (const [name, [columns, other]] of Object.entries(INDEXES)) {
    const beside = [...DECIDING, other, 'latitude', 'longitude'].join(', ');
    await knex.raw(`drop index oms_search_encounters_${name}_ix`);
    await knex.raw(
      `create index oms_search_encounters_${name}_ix on oms_search_encounters
        (${isPostgres ? `${columns}) include (${beside}` : `${columns}, ${beside}`})`,
    );
  }
}
