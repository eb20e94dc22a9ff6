/**
 * The words of encounters that not everybody sees as they are stored have marks in the index of words, a list of which is in
 * their rows for searches (`objects/server/rights/marks.ts`). On SQLite the index is of a view, which puts them together.
 */
import type { Core } from '@strapi/strapi';

const TABLE = 'oms_search_encounters';

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  await knex.raw(`alter table ${TABLE} add column marks text`);
  if (config.client === 'better-sqlite3') {
    // A view has no table-valued functions where it is read for an index.
    await knex.raw(`create view ${TABLE}_texts as select key, case when marks is null then words else (
      with recursive m(place, mark) as (select 0, marks ->> 0 union all
        select place + 1, marks ->> (place + 1) from m where place + 1 < json_array_length(marks))
      select group_concat(m.mark || replace(words, ' ', ' ' || m.mark), ' ' order by m.place) from m
      ) end as words from ${TABLE}`);
    await knex.raw(`drop table ${TABLE}_terms`);
    await knex.raw(`drop table ${TABLE}_words`);
    await knex.raw(`create virtual table ${TABLE}_words using fts5(
      words, content='${TABLE}_texts', content_rowid='key', columnsize=0, tokenize='ascii')`);
    await knex.raw(`insert into ${TABLE}_words (${TABLE}_words) values ('rebuild')`);
    await knex.raw(`create virtual table ${TABLE}_terms using fts5vocab(${TABLE}_words, instance)`);
  }
  // A running service remakes the rows. Until then their words have no marks, and callers with the rights find them so.
  if (await knex(TABLE).first('key'))
    await knex.raw(
      `insert into oms_search_jobs (type, position) values ('encounter', 0)
        on conflict (type) do update set position = 0`,
    );
}
