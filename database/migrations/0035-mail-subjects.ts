/** What mails that gather several notices for one person are about. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('oms_mail_subjects')) return;
  await knex.schema.createTable('oms_mail_subjects', (table) => {
    table.string('subject', 36).primary();
    table.string('mail', 36).notNullable();
    table.index(['mail'], 'oms_mail_subjects_mail_ix');
  });
}
