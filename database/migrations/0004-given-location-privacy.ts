/**
 * Removes copied values of `location_privacy`. Earlier releases filled the field of an encounter that was created without
 * it with the value of its taxon, of the next taxon above that has one, or of the site; a later change of the taxon then
 * had no effect on the encounter. The field becomes null where the history shows that its value was filled in and that
 * nobody has changed it since.
 */
import type { Core } from '@strapi/strapi';
import { randomUUID } from 'node:crypto';

type Knex = Core.Strapi['db']['connection'];

interface Entry {
  readonly seq: number | string;
  readonly object: string;
  readonly action: string;
  readonly changes: string;
}

interface Encounter {
  readonly id: number;
  readonly document_id: string;
  readonly version: number;
  readonly location_privacy: string;
}

type Change = readonly [path: string, before: unknown, after: unknown];

/** The default of the site in earlier releases, where it was fixed. */
const DEFAULT = 'open';
const PRIVACY = 'location_privacy';
const CHUNK = 500;

const changesOf = ({ changes }: Entry): Change[] => JSON.parse(changes) as Change[];

export async function up(knex: Knex): Promise<void> {
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('encounters'))) return;
  const taxa = await taxaThen(knex);
  let last = 0;
  for (;;) {
    const encounters = await knex('encounters')
      .select<Encounter[]>('id', 'document_id', 'version', PRIVACY)
      .whereNotNull(PRIVACY)
      .where('id', '>', last)
      .orderBy('id')
      .limit(CHUNK);
    last = encounters.at(-1)?.id ?? 0;
    if (encounters.length === 0) return;
    await empty(knex, await copied(knex, encounters, taxa));
  }
}

/** The values of one field of a taxon, in the order of the changes. */
type Timeline = readonly { readonly seq: number; readonly value: string | null }[];

/** The value of a taxon's field when an entry of the history was written. */
type Then = (taxon: string, path: string, seq: number) => string | null;

async function taxaThen(knex: Knex): Promise<Then> {
  const timelines = new Map<string, { seq: number; value: string | null }[]>();
  const entries = await knex('oms_history')
    .select<Entry[]>('seq', 'object', 'changes')
    .where({ type: 'taxonomy' })
    .orderBy('seq');
  for (const entry of entries) {
    for (const [path, , after] of changesOf(entry)) {
      if (path !== PRIVACY && path !== 'parent') continue;
      const key = `${entry.object} ${path}`;
      const timeline = timelines.get(key) ?? [];
      timelines.set(key, timeline);
      timeline.push({ seq: Number(entry.seq), value: after as string | null });
    }
  }
  return (taxon, path, seq) => {
    const timeline: Timeline = timelines.get(`${taxon} ${path}`) ?? [];
    return timeline.findLast((point) => point.seq < seq)?.value ?? null;
  };
}

/** The privacy that was copied from a taxon or its nearest ancestor with one. */
function inherited(taxon: string | null, seq: number, then: Then): string {
  const met = new Set<string>();
  for (let at = taxon; at !== null && !met.has(at); at = then(at, 'parent', seq)) {
    met.add(at);
    const privacy = then(at, PRIVACY, seq);
    if (privacy !== null) return privacy;
  }
  return DEFAULT;
}

/** The encounters whose value was copied when they were created, and has not been set since. */
async function copied(
  knex: Knex,
  encounters: readonly Encounter[],
  taxa: Then,
): Promise<Encounter[]> {
  const entries = await knex('oms_history')
    .select<Entry[]>('seq', 'object', 'action', 'changes')
    .whereIn(
      'object',
      encounters.map(({ document_id: id }) => id),
    )
    .orderBy('seq');
  const byObject = new Map<string, Entry[]>();
  for (const entry of entries) {
    byObject.set(entry.object, [...(byObject.get(entry.object) ?? []), entry]);
  }
  return encounters.filter((encounter) => {
    const [created, ...later] = byObject.get(encounter.document_id) ?? [];
    if (created?.action !== 'create') return false;
    if (later.some((entry) => changesOf(entry).some(([path]) => path === PRIVACY))) return false;
    const given = changesOf(created).find(([path]) => path === 'taxonomy')?.[2];
    const taxon = typeof given === 'string' ? given : null;
    return encounter[PRIVACY] === inherited(taxon, Number(created.seq), taxa);
  });
}

/** Clears the values like any change: with a new version and an entry in the history. */
async function empty(knex: Knex, encounters: readonly Encounter[]): Promise<void> {
  if (encounters.length === 0) return;
  const now = new Date();
  await knex('encounters')
    .whereIn(
      'id',
      encounters.map(({ id }) => id),
    )
    .update({ [PRIVACY]: null, version: knex.raw('version + 1'), updated_at: now });
  const entries = encounters.map((encounter) => ({
    id: randomUUID(),
    type: 'encounter',
    object: encounter.document_id,
    version: encounter.version + 1,
    at: now.getTime(),
    action: 'update',
    actor_kind: 'system',
    changes: JSON.stringify([[PRIVACY, encounter[PRIVACY], null]]),
  }));
  await knex.batchInsert('oms_history', entries, CHUNK / 10);
}
