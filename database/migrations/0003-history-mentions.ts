/** Indexes the entries of the history by the accounts in their values, for the erasure of an account. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

/** The fields that refer to accounts, by type. */
const MENTIONING: Readonly<Record<string, readonly string[]>> = {
  encounter: ['owner'],
  user: ['followed_users'],
};

interface Entry {
  readonly seq: number | string;
  readonly type: string;
  readonly actor_id: string | null;
  readonly changes: string;
}

/** The number of entries that are read at a time, and of rows per insert. */
const CHUNK = 1000;
const INSERTED = 400;

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_history_mentions', (table) => {
    table.string('object', 36).notNullable();
    table.bigInteger('seq').notNullable();
    table.primary(['object', 'seq']);
  });
  let entries = await after(knex, 0);
  for (; entries.length > 0; entries = await after(knex, entries.at(-1)?.seq ?? 0)) {
    const mentions = entries.flatMap((entry) =>
      mentioned(entry).map((object) => ({ object, seq: entry.seq })),
    );
    await knex.batchInsert('oms_history_mentions', mentions, INSERTED);
  }
}

const after = (knex: Knex, seq: number | string): Promise<Entry[]> =>
  knex('oms_history')
    .select<Entry[]>('seq', 'type', 'actor_id', 'changes')
    .where('seq', '>', seq)
    .whereIn('type', Object.keys(MENTIONING))
    .orderBy('seq')
    .limit(CHUNK);

/** Distinct IDs, without the actor's, which has its own index. */
function mentioned({ type, actor_id: actor, changes }: Entry): string[] {
  const fields = new Set(MENTIONING[type]);
  const values = (JSON.parse(changes) as [string, unknown, unknown][])
    .filter(([path]) => fields.has(path))
    .flatMap(([, before, after]) => [before, after].flat());
  const ids = values.filter((value): value is string => typeof value === 'string');
  return [...new Set(ids)].filter((id) => id !== actor);
}
