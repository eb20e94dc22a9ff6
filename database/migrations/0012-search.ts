/**
 * What is kept for searches: the encounters, a row for each audience, in the order of their time; the words and sort keys
 * of the other objects; and what has to be kept anew, at first all that an earlier version has stored.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const TABLES = {
  user: 'up_users',
  encounter: 'encounters',
  individual: 'individuals',
  org: 'orgs',
  taxonomy: 'taxonomies',
  asset: 'assets',
};

export async function up(knex: Knex): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  const big = isPostgres ? 'bigint' : 'integer';
  const text = isPostgres ? 'text collate "C"' : 'text';
  const words = isPostgres ? ', words tsvector' : '';
  const double = 'double precision';
  await knex.raw(`create table oms_search_encounters (
    key ${big} primary key,
    id integer not null,
    document_id varchar(36) not null,
    audience smallint not null,
    level smallint not null,
    owner_id integer,
    individual_id integer,
    taxonomy_id integer,
    state ${text},
    location_privacy ${text},
    time ${text},
    time_start bigint,
    time_end bigint,
    latitude ${double},
    longitude ${double},
    coordinate_uncertainty ${double},
    location_id ${text},
    country_code ${text},
    external_id ${text},
    sort_key ${text}${words}
  )`);
  await knex.raw(`create table oms_search_objects (
    key ${isPostgres ? 'bigint generated always as identity primary key' : 'integer primary key'},
    type ${text} not null,
    id integer not null,
    document_id varchar(36) not null,
    part smallint not null,
    sort_key ${text}${words}
  )`);
  await knex.raw(
    'create unique index oms_search_objects_uq on oms_search_objects (type, id, part)',
  );
  await knex.raw(
    'create index oms_search_objects_order_ix on oms_search_objects (type, part, sort_key, document_id)',
  );
  for (const [name, columns] of Object.entries(INDEXES))
    await knex.raw(
      `create index oms_search_encounters_${name}_ix on oms_search_encounters (${columns})`,
    );
  // What lasts longer than 31 days: of all else, the end of the time is not far from its start.
  await knex.raw(
    `create index oms_search_encounters_long_ix on oms_search_encounters (time_start)
     where time_end - time_start > 2678400000`,
  );
  if (isPostgres) {
    for (const table of ['oms_search_encounters', 'oms_search_objects'])
      await knex.raw(`create index ${table}_words_ix on ${table} using gin (words)`);
  } else {
    for (const table of ['oms_search_encounters', 'oms_search_objects'])
      await knex.raw(
        `create virtual table ${table}_words using fts5(t, content='', contentless_delete=1, tokenize='ascii')`,
      );
  }
  await knex.schema.createTable('oms_search_jobs', (table) => {
    table.string('type', 64).primary();
    table.integer('position').notNullable(); // the ID of the row of the last object that is done
  });
  // A new database has no objects: what comes later is kept as it comes.
  for (const [type, table] of Object.entries(TABLES))
    if ((await knex.schema.hasTable(table)) && (await knex(table).first('id')))
      await knex('oms_search_jobs').insert({ type, position: 0 });
}

const INDEXES = {
  id: 'id',
  document: 'document_id',
  time: 'time_start',
  owner: 'owner_id, time_start',
  individual: 'individual_id, time_start',
  taxonomy: 'taxonomy_id, time_start',
  state: 'state, time_start',
  location: 'location_id, time_start',
  country: 'country_code, time_start',
  place: 'latitude, longitude',
  sort: 'sort_key, document_id',
} as const;
