/**
 * On SQLite the words of objects are kept as a text, from which the index of words is made: whether a row that is looked at has
 * a word is seen in the row.
 */
import type { Core } from '@strapi/strapi';

const TABLE = 'oms_search_objects';

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  if (config.client !== 'better-sqlite3') return;
  await knex.raw(`alter table ${TABLE} add column words text`);
  await knex.raw(`drop table ${TABLE}_words`);
  await knex.raw(
    `create virtual table ${TABLE}_words using fts5(
      words, content='${TABLE}', content_rowid='key', columnsize=0, tokenize='ascii')`,
  );
  // A running service fills them in.
  if (await knex(TABLE).first('key'))
    await knex.raw(
      `insert into oms_search_jobs (type, position) values ('*', 0) on conflict do nothing`,
    );
}
