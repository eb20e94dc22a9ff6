/**
 * The indexes by which encounters are searched are each of one partition: of the rows that strangers may find, or of those
 * for insiders alone. What a search reads then does not depend on rows that its caller may never find
 * (`objects/server/search/conditions/partitions.ts`). A row is in one of two indexes, so that a change costs what it did.
 */
import type { Core } from '@strapi/strapi';

const TABLE = 'oms_search_encounters';

/** Of SQLite (`objects/server/database/sqlite-indexes.ts`). */
const LEFT_OUT = 'oms_left_out_indexes';

const PARTITIONS = { told: 'audience < 2', inside: 'audience >= 2' };

/** What the rights of any caller to an encounter, and its audience, are decided by. */
const DECIDING = ['audience', 'level', 'owner_id', 'state', 'id'];

/** By their names: the columns in order, and those beside them, so that what is counted needs no row of the table. */
const INDEXES: Readonly<Record<string, readonly [columns: string, beside?: readonly string[]]>> = {
  document: ['document_id'],
  time: ['time_start', ['audience']],
  sort: ['sort_key, document_id'],
  owner: ['owner_id, time_start', ['audience', 'level', 'state', 'id']],
  individual: ['individual_id, time_start', DECIDING],
  taxonomy: ['taxonomy_id, time_start', [...DECIDING, 'country_code', 'latitude', 'longitude']],
  state: ['state, time_start', ['audience', 'level', 'owner_id', 'id']],
  location: ['location_id, time_start', DECIDING],
  country: ['country_code, time_start', [...DECIDING, 'taxonomy_id', 'latitude', 'longitude']],
  external: ['external_id, time_start', DECIDING],
  cell: ['cell, latitude, longitude', DECIDING],
};

/** Times by how long they last, in milliseconds. */
const LASTING = { days: 86_400_000, long: 2_678_400_000 };

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  const make = async (name: string, columns: string, condition: string): Promise<void> => {
    await knex.raw(`create index ${TABLE}_${name}_ix on ${TABLE} ${columns}${condition}`);
  };
  const drop = async (name: string): Promise<void> => {
    await knex.raw(`drop index if exists ${TABLE}_${name}_ix`);
  };
  for (const [name, [columns, beside = []]] of Object.entries(INDEXES)) {
    const others = beside.join(', ');
    const all =
      others === ''
        ? `(${columns})`
        : isPostgres
          ? `(${columns}) include (${others})`
          : `(${columns}, ${others})`;
    await drop(name);
    for (const [partition, condition] of Object.entries(PARTITIONS))
      await make(`${name}_${partition}`, all, ` where ${condition}`);
  }
  for (const [name, duration] of Object.entries(LASTING)) {
    await drop(name);
    for (const [partition, condition] of Object.entries(PARTITIONS))
      await make(
        `${name}_${partition}`,
        '(time_start)',
        ` where time_end - time_start > ${duration} and ${condition}`,
      );
  }
  // Those that a killed import has left out would be made as they were.
  if (await knex.schema.hasTable(LEFT_OUT))
    await knex(LEFT_OUT).where('name', 'like', `${TABLE}%`).delete();
  // By which the rows of an object are changed, and those of insiders are met one by one.
  await drop('id');
  await make('id', '(id, audience)', '');
}
