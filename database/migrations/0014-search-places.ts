/**
 * What lasts longer than a day has an index of its own. Searches by place have an index of cells (`objects/server/search/cells.ts`); on SQLite, the tokens of encounters are
 * listed one by one, by which a search finds those that begin with a word.
 */
import type { Core } from '@strapi/strapi';

/** Shifts and masks that put a gap before each of 24 bits. */
const STEPS = [
  [16, 0x0000ffff0000ffffn],
  [8, 0x00ff00ff00ff00ffn],
  [4, 0x0f0f0f0f0f0f0f0fn],
  [2, 0x3333333333333333n],
  [1, 0x5555555555555555n],
] as const;

export async function up(knex: Core.Strapi['db']['connection']): Promise<void> {
  const { config } = knex.client as { config: { client: string } };
  await knex.raw('alter table oms_search_encounters add column cell bigint');
  await knex.raw(`update oms_search_encounters set cell = ${cell} where latitude is not null`);
  await knex.raw('drop index oms_search_encounters_place_ix');
  await knex.raw('create index oms_search_encounters_cell_ix on oms_search_encounters (cell)');
  await knex.raw(
    `create index oms_search_encounters_days_ix on oms_search_encounters (time_start)
     where time_end - time_start > 86400000`,
  );
  if (config.client === 'better-sqlite3')
    await knex.raw(
      'create virtual table oms_search_encounters_terms using fts5vocab(oms_search_encounters_words, instance)',
    );
}

/** A number of 24 bits, each with a gap before it. */
const spread = (value: string): string =>
  STEPS.reduce(
    (select, [shift, mask]) => `select (v | (v << ${shift})) & ${mask} as v from (${select}) s`,
    `select cast(${value} as bigint) as v`,
  );

/** The row or the column of 2^24 that a part of a whole is in. */
const at = (part: string): string =>
  `(case when ${part} >= 1 then 16777215 else floor(${part} * 16777216) end)`;

const row = at('((latitude + 90) / 180)');
const column = `(case when longitude = 180 or abs(latitude) = 90 then 0 else ${at('((longitude + 180) / 360)')} end)`;
const cell = `(2 * (${spread(row)}) + (${spread(column)}))`;
