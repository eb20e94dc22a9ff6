/**
 * The date from which strangers are told of each encounter and individual. What they are told now stays told. New ones that
 * are not open wait for the first of a month or year, unless the site tells them at once. Until then the sender of a report
 * without an account reads it by its claim.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('oms_claims', (table) => {
    table.bigInteger('reads_until'); // null where it does not wait to be told
  });
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('encounters'))) return;
  for (const name of ['encounters', 'individuals'])
    await knex.schema.alterTable(name, (table) => {
      table.string('told_from', 255);
      table.string('untold_since', 255);
    });
  await knex.schema.alterTable('site_settings', (table) => {
    table.string('tell_hidden', 255).defaultTo('monthly');
  });
  const made = isOnPostgres(knex)
    ? `to_char(created_at, 'YYYY-MM-DD')`
    : `strftime('%Y-%m-%d', created_at / 1000, 'unixepoch')`;
  await knex.raw(`update encounters set told_from = ${made} where state = 'approved'`);
  await knex.raw(`update individuals set told_from = ${made}`);
}

const isOnPostgres = (knex: Knex): boolean =>
  (knex.client as { config: { client: string } }).config.client !== 'better-sqlite3';
