/**
 * What is kept for searches: the words and sort keys of objects that are searched in their own tables; and what has to be kept
 * anew, at first all that an earlier version has stored. The tables in which others are searched follow from their declarations
 * (`0050-projections.ts`).
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const TABLES = {
  user: 'up_users',
  individual: 'individuals',
  org: 'orgs',
  taxonomy: 'taxonomies',
  asset: 'assets',
};

export async function up(knex: Knex): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  const text = isPostgres ? 'text collate "C"' : 'text';
  const words = isPostgres ? ', words tsvector' : '';
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
  await knex.raw(
    isPostgres
      ? 'create index oms_search_objects_words_ix on oms_search_objects using gin (words)'
      : `create virtual table oms_search_objects_words using fts5(t, content='', contentless_delete=1, tokenize='ascii')`,
  );
  await knex.schema.createTable('oms_search_jobs', (table) => {
    table.string('type', 64).primary();
    table.integer('position').notNullable(); // the ID of the row of the last object that is done
  });
  // A new database has no objects: what comes later is kept as it comes.
  for (const [type, table] of Object.entries(TABLES))
    if ((await knex.schema.hasTable(table)) && (await knex(table).first('id')))
      await knex('oms_search_jobs').insert({ type, position: 0 });
}
