/**
 * The kingdom of each taxon, within which its name and rank are unique, and the keys of names in which a single `x` before
 * a name is the sign of a hybrid, and blanks are single. Taxa whose names have become the same stay as they are.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

/** Rows that are read together. */
const CHUNK = 5_000;

interface Taxon {
  readonly id: number;
  readonly document_id: string;
  readonly scientific_name: string;
  readonly rank: string | null;
  readonly name_key: string;
}

const keyOf = ({ scientific_name: name, rank }: Taxon): string => {
  const folded = name
    .toLowerCase()
    .trim()
    .replace(/\s+/gu, ' ')
    .replace(/(?<=^|\s)(?:\s*×\s*|x\s+)(?=\S)/gu, '× ');
  return `${folded}\u001f${(rank ?? '').toLowerCase()}`;
};

export async function up(knex: Knex): Promise<void> {
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('taxonomies'))) return;
  await knex.schema.alterTable('taxonomies', (table) => {
    table.integer('kingdom');
  });
  await renewKeys(knex);
  const synonym = (alias: string): string =>
    `(${alias}.taxonomic_status = 'synonym' and ${alias}.accepted_id is not null)`;
  const found = `u.counts = 1 and coalesce(t.rank, '') = 'kingdom' and not ${synonym('t')}`;
  await knex.raw(`update taxonomies set kingdom = coalesce((
    with recursive up(id, counts) as (
      select case when ${synonym('taxonomies')} then taxonomies.accepted_id else taxonomies.parent_id end,
        case when ${synonym('taxonomies')} then 0 else 1 end
      union
      select case when ${synonym('t')} then t.accepted_id else t.parent_id end,
        case when ${synonym('t')} then u.counts else 1 end
      from up u join taxonomies t on t.id = u.id where not (${found}))
    select t.id from up u join taxonomies t on t.id = u.id where ${found}), 0)`);
}

/** A key that another taxon has is told apart by the ID of its own: it is as no name can be. */
async function renewKeys(knex: Knex): Promise<void> {
  const clashes: string[] = [];
  for (let last = 0; ;) {
    const rows = await knex<Taxon>('taxonomies')
      .where('id', '>', last)
      .orderBy('id')
      .limit(CHUNK)
      .select('id', 'document_id', 'scientific_name', 'rank', 'name_key');
    for (const row of rows) {
      const key = keyOf(row);
      if (key === row.name_key) continue;
      const isTaken = await knex('taxonomies')
        .where({ name_key: key })
        .first<object | undefined>('id');
      if (isTaken) clashes.push(`${row.scientific_name} (${row.document_id})`);
      await knex('taxonomies')
        .where({ id: row.id })
        .update({ name_key: isTaken ? `${key}\u001f${row.document_id}` : key });
    }
    const end = rows.at(-1)?.id;
    if (end === undefined) break;
    last = end;
  }
  if (clashes.length > 0)
    strapi.log.warn(
      `Taxa whose names differ from others by blanks or by the sign of a hybrid alone, and are kept: ${clashes.join(', ')}`,
    );
}
