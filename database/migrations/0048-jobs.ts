/**
 * What is done in the background on behalf of the data: which server does it, how the last run has ended, when the next one
 * is due (`src/plugins/objects/server/jobs`). The lease of backups is one of them.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('oms_jobs')))
    await knex.schema.createTable('oms_jobs', (table) => {
      table.string('name', 64).primary();
      table.string('holder', 320);
      // Times in milliseconds since 1970.
      table.bigInteger('held_until').notNullable();
      table.bigInteger('started_at');
      table.bigInteger('ended_at');
      table.bigInteger('duration');
      table.integer('failures').notNullable();
      table.text('error');
      table.bigInteger('next_at').notNullable();
      table.bigInteger('done');
      table.bigInteger('total');
    });
  if (await knex.schema.hasColumn('oms_backups', 'claimed_until'))
    await knex.raw('alter table oms_backups drop column claimed_until');
}
