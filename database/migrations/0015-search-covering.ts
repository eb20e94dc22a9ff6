/**
 * The indexes by which encounters are searched have beside their own columns those that decide who finds a row, and a
 * position has its latitude and longitude: what is counted needs no row of the table then, which are far from each other.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const INDEXES = {
  owner: 'owner_id, time_start',
  individual: 'individual_id, time_start',
  taxonomy: 'taxonomy_id, time_start',
  state: 'state, time_start',
  location: 'location_id, time_start',
  country: 'country_code, time_start',
  external: 'external_id, time_start',
  cell: 'cell, latitude, longitude',
} as const;

/**
 * What the rights of any caller to an encounter, and its audience, are decided by; and a country and a taxon, which are often
 * asked for together.
 */
const DECIDING = ['audience', 'level', 'owner_id', 'state', 'id'];
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  taxonomy: ['country_code'],
  country: ['taxonomy_id'],
};

export async function up(knex: Knex): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  for (const [name, columns] of Object.entries(INDEXES)) {
    const others = [...DECIDING, ...(BESIDE[name] ?? [])]
      .filter((column) => !columns.startsWith(`${column},`))
      .join(', ');
    await knex.raw(`drop index oms_search_encounters_${name}_ix`);
    await knex.raw(
      `create index oms_search_encounters_${name}_ix on oms_search_encounters
        (${isPostgres ? `${columns}) include (${others}` : `${columns}, ${others}`})`,
    );
  }
}
