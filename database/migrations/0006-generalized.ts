/** What strangers are given of encounters whose position is not open: a row for each of these. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_generalized', (table) => {
    table.integer('encounter').primary(); // the ID of the row
    table.integer('individual');
    table.integer('owner');
    table.boolean('approved').notNullable();
    table.integer('level').notNullable(); // 1 obscured, 2 private
    table.double('latitude');
    table.double('longitude');
    table.string('time', 255);
    table.bigInteger('time_start');
    table.bigInteger('time_end');
    table.string('location_id', 255);
    table.index(
      ['individual', 'approved', 'time_start', 'time_end'],
      'oms_generalized_individual_ix',
    );
    table.index(['owner', 'time_start'], 'oms_generalized_owner_ix');
  });
}
