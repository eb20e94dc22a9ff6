/** The names by which objects are suggested while somebody types: a row for each word that a name has from there on. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const TABLES = {
  user: 'up_users',
  individual: 'individuals',
  org: 'orgs',
  taxonomy: 'taxonomies',
};

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_search_names')) return;
  const { config } = knex.client as { config: { client: string } };
  const text = config.client === 'better-sqlite3' ? 'text' : 'text collate "C"';
  await knex.raw(`create table oms_search_names (
    type ${text} not null,
    id integer not null,
    later smallint not null,
    language ${text} not null,
    key ${text} not null,
    name ${text} not null
  )`);
  await knex.raw('create index oms_search_names_id_ix on oms_search_names (type, id)');
  await knex.raw('create index oms_search_names_key_ix on oms_search_names (type, later, key, id)');
  await knex.raw(
    'create index oms_search_names_language_ix on oms_search_names (type, later, language, key, id)',
  );
  // A running service fills them in.
  for (const [type, table] of Object.entries(TABLES))
    if ((await knex.schema.hasTable(table)) && (await knex(table).first('id')))
      await knex.raw(
        `insert into oms_search_jobs (type, position) values ('${type}', 0)
          on conflict (type) do update set position = 0`,
      );
}
