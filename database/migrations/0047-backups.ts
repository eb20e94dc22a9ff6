/** When the last backup was made, and which server makes the next one (`src/boot/backup/record.ts`). */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_backups')) return;
  await knex.schema.createTable('oms_backups', (table) => {
    // One row.
    table.integer('id').primary();
    table.bigInteger('made_at').notNullable();
    table.bigInteger('bytes').notNullable();
    table.bigInteger('claimed_until').notNullable();
  });
  await knex('oms_backups').insert({ id: 1, made_at: 0, bytes: 0, claimed_until: 0 });
}
