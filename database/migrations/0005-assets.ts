/** What is known of assets beside their rows: claims, files on their way, and those that nothing refers to. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];
type Table = Parameters<Parameters<Knex['schema']['createTable']>[1]>[0];

const TABLES: Readonly<Record<string, (table: Table) => void>> = {
  oms_claims(table) {
    table.string('hash', 64).primary();
    table.string('object', 36).notNullable();
    table.bigInteger('ends_at');
    table.index(['object'], 'oms_claims_object_ix');
    table.index(['ends_at'], 'oms_claims_ends_at_ix');
  },
  oms_asset_files(table) {
    table.string('files', 36).primary();
    table.bigInteger('due_at').notNullable();
    table.index(['due_at'], 'oms_asset_files_due_at_ix');
  },
  oms_loose_assets(table) {
    table.string('asset', 36).primary();
    table.bigInteger('since').notNullable();
    table.index(['since'], 'oms_loose_assets_since_ix');
  },
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, describe] of Object.entries(TABLES)) {
    if (!(await knex.schema.hasTable(name))) await knex.schema.createTable(name, describe);
  }
}
