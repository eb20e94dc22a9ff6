/**
 * The indexes of the search through the history, which is ordered by time and then by number: all entries, and those of
 * one actor, type or action.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const INDEXES = {
  oms_history_at_ix: 'at, seq',
  oms_history_actor_ix: 'actor_id, at, seq',
  oms_history_type_ix: 'type, at, seq',
  oms_history_action_ix: 'action, at, seq',
} as const;

export async function up(knex: Knex): Promise<void> {
  for (const [name, columns] of Object.entries(INDEXES)) {
    await knex.raw(`drop index if exists ${name}`);
    await knex.raw(`create index ${name} on oms_history (${columns})`);
  }
}
