/** The release that last migrated the database: older code must not write to it (`src/boot/release.ts`). */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_release')) return;
  await knex.schema.createTable('oms_release', (table) => {
    // One row.
    table.integer('id').primary();
    table.string('version', 64).notNullable();
    table.string('migration', 255).notNullable();
    table.string('migrated_at', 32).notNullable();
  });
}
