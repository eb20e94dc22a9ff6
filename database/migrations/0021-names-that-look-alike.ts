/**
 * Names of individuals and orgs are compared as they look: without regard to dashes, apostrophes and blanks, and to letters
 * of other scripts. Those that have become the same are kept, with a key as no name has. Words are folded further, too: a
 * running service makes them anew.
 */
import { hash } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { foldAlike } from '../../src/core/look-alike';

type Knex = Core.Strapi['db']['connection'];

/** Rows that are read together. */
const CHUNK = 2_000;

interface Individual {
  readonly id: number;
  readonly document_id: string;
  readonly names: unknown;
  readonly taxon: string | null;
}

interface Name {
  readonly context: string;
  readonly value: string;
}

export async function up(knex: Knex): Promise<void> {
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('individuals'))) return;
  const clashes = [...(await renewNames(knex)), ...(await renewOrgs(knex))];
  if (clashes.length > 0)
    strapi.log.warn(`Names that look like those of others, and are kept: ${clashes.join(', ')}`);
  await knex.raw(
    `insert into oms_search_jobs (type, position) values ('*', 0) on conflict do nothing`,
  );
}

const hashed = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');

async function renewNames(knex: Knex): Promise<string[]> {
  const clashes: string[] = [];
  const taken = new Set<string>();
  await knex('oms_individual_names').delete();
  for (let last = 0; ;) {
    const rows = await knex('individuals as i')
      .leftJoin('taxonomies as t', 't.id', 'i.taxonomy_id')
      .where('i.id', '>', last)
      .orderBy('i.id')
      .limit(CHUNK)
      .select<Individual[]>('i.id', 'i.document_id', 'i.names', 't.document_id as taxon');
    const keys = rows.flatMap(({ id, document_id: own, names, taxon }) =>
      namesIn(names).map(({ context, value }) => {
        const parts = [taxon ?? null, foldAlike(context), foldAlike(value)];
        const isTaken = taken.has(hashed(parts));
        if (isTaken) clashes.push(`${value} (individual ${own})`);
        const key = isTaken ? hashed([...parts, own, value]) : hashed(parts);
        taken.add(key);
        return { key, object: id, value: foldAlike(value) };
      }),
    );
    await knex.batchInsert('oms_individual_names', keys, 200);
    const end = rows.at(-1)?.id;
    if (end === undefined) return clashes;
    last = end;
  }
}

const namesIn = (stored: unknown): readonly Name[] =>
  ((typeof stored === 'string' ? JSON.parse(stored) : stored) ?? []) as readonly Name[];

async function renewOrgs(knex: Knex): Promise<string[]> {
  const clashes: string[] = [];
  const taken = new Set<string>();
  const orgs = await knex('orgs')
    .orderBy('id')
    .select<{ id: number; document_id: string; name: string; name_key: string }[]>(
      'id',
      'document_id',
      'name',
      'name_key',
    );
  // Keys of the new form may be those that others have of the former one.
  const changed = orgs.flatMap((org) => {
    const key = foldAlike(org.name);
    const isTaken = taken.has(key);
    taken.add(key);
    if (isTaken) clashes.push(`${org.name} (org ${org.document_id})`);
    const own = isTaken ? `${key}\u001f${org.document_id}` : key;
    return own === org.name_key ? [] : [{ ...org, name_key: own }];
  });
  for (const { id } of changed)
    await knex('orgs')
      .where({ id })
      .update({ name_key: `\u001f${id}` });
  for (const { id, name_key: key } of changed)
    await knex('orgs').where({ id }).update({ name_key: key });
  return clashes;
}
