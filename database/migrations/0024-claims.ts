/**
 * What a claim permits, each for a time of its own: to know a create again that is sent twice, and to adopt a report with
 * the photographs that came with it. What came with reports of earlier releases is in their history.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const DAY = 24 * 60 * 60_000;

/** Milliseconds for which a claim is known. */
const LASTS = 30 * DAY;

const CHUNK = 500;

interface Entry {
  readonly object: string;
  readonly at: number | string;
  readonly changes: string;
}

/** Path, before, after. */
type Change = readonly [string, unknown, unknown];

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('oms_claims', 'known_until')) return;
  await knex.schema.alterTable('oms_claims', (table) => {
    table.string('type', 40).notNullable().defaultTo('asset');
    table.bigInteger('known_until').notNullable().defaultTo(0);
    table.bigInteger('adopt_until');
    table.text('brought'); // a JSON list of IDs
  });
  // The claim to an upload lasted for a day.
  await knex('oms_claims')
    .whereNotNull('ends_at')
    .update({ known_until: knex.raw('ends_at + ?', [LASTS - DAY]) });
  const reports = await knex('oms_claims').whereNull('ends_at').pluck<string[]>('object');
  for (let from = 0; from < reports.length; from += CHUNK) {
    const entries = await knex('oms_history')
      .whereIn('object', reports.slice(from, from + CHUNK))
      .where({ type: 'encounter', action: 'create' })
      .select<Entry[]>('object', 'at', 'changes');
    for (const { object, at, changes } of entries)
      await knex('oms_claims')
        .where({ object })
        .update({
          type: 'encounter',
          known_until: Number(at) + LASTS,
          adopt_until: Number(at) + LASTS,
          brought: JSON.stringify(broughtBy(changes)),
        });
  }
}

/** The photographs that a new report had. */
function broughtBy(changes: string): unknown {
  const made = JSON.parse(changes) as readonly Change[];
  return made.find(([path]) => path === 'assets')?.[2] ?? [];
}
