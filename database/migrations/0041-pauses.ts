/** Until when files that nothing uses are kept: backups read them (`src/boot/backup/pause.ts`). */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_pauses')) return;
  await knex.schema.createTable('oms_pauses', (table) => {
    table.string('name', 64).primary();
    table.bigInteger('until').notNullable();
  });
}
