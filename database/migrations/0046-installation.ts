/** Which secret and storage of files belong to the database (`src/boot/installation.ts`). */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_installation')) return;
  await knex.schema.createTable('oms_installation', (table) => {
    // One row.
    table.integer('id').primary();
    table.string('installation', 36).notNullable();
    table.string('secret', 64).notNullable();
    table.boolean('is_storage_marked').notNullable().defaultTo(false);
    table.boolean('is_copy').notNullable().defaultTo(false);
  });
}
