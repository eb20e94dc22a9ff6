/**
 * On SQLite the rows that searches use have their words as a text, from which the index of words is made: whether a row
 * that is looked at has a word is seen in the row. On both databases the rows of encounters have some more of their fields.
 */
import type { Core } from '@strapi/strapi';

const TEXTS = ['sex', 'life_stage', 'living_status', 'basis_of_record'];

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  const isPostgres = config.client !== 'better-sqlite3';
  const columns = [
    ...TEXTS.map((name) => [name, isPostgres ? 'text collate "C"' : 'text'] as const),
    ['group_size', 'integer'] as const,
  ];
  for (const [name, type] of columns)
    await knex.raw(`alter table oms_search_encounters add column ${name} ${type}`);
  // They are the same for everybody who finds an encounter.
  if (await knex.schema.hasTable('encounters'))
    await knex.raw(
      `update oms_search_encounters set ${columns.map(([name]) => `${name} = e.${name}`).join(', ')}
        from encounters e where e.id = oms_search_encounters.id`,
    );
  if (isPostgres) return;
  await knex.raw('drop table oms_search_encounters_terms');
  let hasRows = false;
  for (const table of ['oms_search_encounters', 'oms_search_objects']) {
    await knex.raw(`alter table ${table} add column words text`);
    await knex.raw(`drop table ${table}_words`);
    await knex.raw(
      `create virtual table ${table}_words using fts5(
        words, content='${table}', content_rowid='key', columnsize=0, tokenize='ascii')`,
    );
    hasRows ||= (await knex(table).first('key')) !== undefined;
  }
  await knex.raw(
    'create virtual table oms_search_encounters_terms using fts5vocab(oms_search_encounters_words, instance)',
  );
  // A running service fills them in.
  if (hasRows)
    await knex.raw(
      `insert into oms_search_jobs (type, position) values ('*', 0) on conflict do nothing`,
    );
}
