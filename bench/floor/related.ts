/** An encounter with summaries of its owner, individual, taxon and photographs, in the simplest way. */
import { toWire, type Encounter, type Row } from './encounter';

/** The encounter with what it refers to. One parameter, its ID. */
export const relatedSelect = (parameter: string): string => `
  select e.*, t.id as taxon, t.name as taxon_name, p.id as owner_id, p.name as owner_name,
    i.id as individual_id, i.name as individual_name
  from encounter e left join taxon t on t.key = e.taxonomy left join person p on p.key = e.owner
    left join individual i on i.key = e.individual
  where e.id = ${parameter}`;

/** Its photographs. One parameter, the key of the encounter. */
export const assetsSelect = (parameter: string): string => `
  select a.id, a.name from encounter_asset l join asset a on a.key = l.asset
  where l.encounter = ${parameter} order by l.position`;

type Related = 'taxon' | 'owner' | 'individual';
export type RelatedRow = Row &
  Readonly<Record<`${Exclude<Related, 'taxon'>}_id` | `${Related}_name`, string | null>>;
export interface AssetRow {
  readonly id: string;
  readonly name: string;
}

const RENDITIONS = ['thumbnail', 'small', 'large'];

export function withRelated(row: RelatedRow, assets: readonly AssetRow[]): Encounter {
  const summary = (id: string | null, name: string | null): object =>
    id === null ? {} : { [id]: { id, display_name: name } };
  const renditions = (id: string): object =>
    Object.fromEntries(RENDITIONS.map((size) => [size, `/api/v0/asset/${id}/file?size=${size}`]));
  return {
    ...toWire(row),
    owner: row.owner_id,
    individual: row.individual_id,
    assets: assets.map(({ id }) => id),
    included: {
      user: summary(row.owner_id, row.owner_name),
      individual: summary(row.individual_id, row.individual_name),
      taxonomy: summary(String(row.taxon), row.taxon_name),
      asset: Object.fromEntries(
        assets.map(({ id, name }) => [id, { id, display_name: name, renditions: renditions(id) }]),
      ),
    },
  };
}
