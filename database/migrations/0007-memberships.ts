/** Who belongs to which org: row IDs, since the lists of a thousand objects are made of them at once. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_memberships')) return;
  await knex.schema.createTable('oms_memberships', (table) => {
    table.increments('id');
    table.integer('org').notNullable();
    table.integer('account').notNullable();
    table.string('role', 10).notNullable();
    table.bigInteger('since').notNullable();
    table.unique(['org', 'account'], { indexName: 'oms_memberships_org_uq' });
    table.index(['account', 'org'], 'oms_memberships_account_ix');
  });
}
