/**
 * The hashes of the IDs of deleted objects. The IDs of accounts that were deleted before are unknown, because they are
 * not in the history.
 */
import type { Core } from '@strapi/strapi';
import { hash } from 'node:crypto';

type Knex = Core.Strapi['db']['connection'];

const CHUNK = 500;

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_deleted_ids', (table) => {
    table.string('hash', 64).primary();
  });
  const rows = await knex('oms_history')
    .where({ action: 'delete' })
    .distinct<{ object: string }[]>('object');
  const hashes = rows.map(({ object }) => ({ hash: hash('sha256', object, 'hex') }));
  await knex.batchInsert('oms_deleted_ids', hashes, CHUNK);
}
