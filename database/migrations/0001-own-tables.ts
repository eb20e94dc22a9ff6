/** The tables without a content type. Earlier releases created them without a migration. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];
type Table = Parameters<Parameters<Knex['schema']['createTable']>[1]>[0];

const TABLES: Readonly<Record<string, (table: Table) => void>> = {
  oms_history(table) {
    table.bigIncrements('seq');
    table.string('id', 36).notNullable(); // random, and never searched for
    table.string('type', 40).notNullable();
    table.string('object', 36).notNullable();
    table.integer('version').notNullable();
    table.bigInteger('at').notNullable();
    table.string('action', 20).notNullable();
    table.string('actor_kind', 10).notNullable();
    table.string('actor_id', 36);
    table.string('actor_name', 255);
    table.text('changes').notNullable();
    table.index(['object', 'seq'], 'oms_history_object_ix');
    table.index(['actor_id', 'seq'], 'oms_history_actor_ix');
    table.index(['at'], 'oms_history_at_ix');
  },
  oms_sessions(table) {
    table.string('hash', 64).primary();
    table.string('id', 36).notNullable().unique();
    table.string('account', 36).notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable();
    table.string('user_agent', 255).notNullable();
    table.index(['account', 'created_at'], 'oms_sessions_account_ix');
    table.index(['last_used_at'], 'oms_sessions_last_used_at_ix');
  },
  oms_throttles(table) {
    table.string('bucket', 128).primary();
    table.integer('count').notNullable();
    table.bigInteger('ends_at').notNullable();
    table.index(['ends_at'], 'oms_throttles_ends_at_ix');
  },
  oms_tokens(table) {
    table.string('hash', 64).primary();
    table.string('kind', 10).notNullable();
    table.string('account', 36).notNullable();
    table.string('email', 255).notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['account'], 'oms_tokens_account_ix');
    table.index(['expires_at'], 'oms_tokens_expires_at_ix');
  },
  oms_mails(table) {
    table.string('id', 36).primary();
    table.string('kind', 20).notNullable();
    table.string('account', 36);
    table.string('email_key', 255);
    table.string('address', 255);
    table.bigInteger('created_at').notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('next_at').notNullable();
    table.index(['next_at'], 'oms_mails_next_at_ix');
    table.index(['account'], 'oms_mails_account_ix');
  },
  oms_panel_accounts(table) {
    table.string('account', 36).notNullable().unique();
    table.integer('panel_user').notNullable().unique();
  },
  oms_first_administrator(table) {
    table.string('hash', 64).primary();
  },
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, describe] of Object.entries(TABLES)) {
    if (!(await knex.schema.hasTable(name))) await knex.schema.createTable(name, describe);
  }
}
