import type { Caller } from '../../../../core/caller';
import type { Body, Objects } from '../../../objects/server/types';
import { ApiError } from '../../../../core/errors';
import type { Fault } from '../package/fault';
import type { TaxonPlan } from '../package/taxa';
import { refusals, valueText } from './reasons';
import type { Tally } from './summary';

const TYPE = 'taxonomy';

interface Writing {
  readonly objects: Objects;
  readonly caller: Caller;
  readonly tally: Tally;
  readonly onFault: (fault: Fault) => void;
}

/**
 * Finds or creates each taxon, parents first.
 *
 * @returns their IDs, without those of refused taxa, which are reported to `onFault`
 */
export async function writeTaxa(
  taxa: readonly TaxonPlan[],
  writing: Writing,
): Promise<Map<TaxonPlan, string>> {
  const ids = new Map<TaxonPlan, string>();
  for (const taxon of taxa) {
    const id = (await find(taxon, writing)) ?? (await make(taxon, nearest(taxon, ids), writing));
    if (id !== null) ids.set(taxon, id);
  }
  return ids;
}

/** The nearest of its ancestors that there is; null without one. */
function nearest({ parent }: TaxonPlan, ids: ReadonlyMap<TaxonPlan, string>): string | null {
  if (parent === null) return null;
  return ids.get(parent) ?? nearest(parent, ids);
}

/** By name and rank, or by its key of GBIF or ITIS with any name. */
async function find(taxon: TaxonPlan, { objects, tally }: Writing): Promise<string | null> {
  const { scientificName, rank, gbifKey, itisTsn } = taxon;
  const id =
    (await objects.findUnique(TYPE, { scientific_name: scientificName, rank })) ??
    (gbifKey === null ? null : await objects.findUnique(TYPE, { gbif_key: gbifKey })) ??
    (itisTsn === null ? null : await objects.findUnique(TYPE, { itis_tsn: itisTsn }));
  if (id !== null) tally.existing += 1;
  return id;
}

async function make(
  taxon: TaxonPlan,
  parent: string | null,
  { objects, caller, tally, onFault }: Writing,
): Promise<string | null> {
  const body = bodyOf(taxon, parent);
  try {
    const { id } = await objects.write({ op: 'create', type: TYPE, body }, caller);
    tally.created += 1;
    return id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    tally.refused += 1;
    for (const { path, reason } of refusals(error)) {
      const field = `${taxon.place.field} (${taxon.scientificName}) ${path}`;
      const value = valueText(body[path.split('.')[0] ?? '']);
      onFault({ ...taxon.place, field, reason, value });
    }
    return null;
  }
}

function bodyOf(taxon: TaxonPlan, parent: string | null): Body {
  return {
    scientific_name: taxon.scientificName,
    ...(taxon.rank !== null && { rank: taxon.rank }),
    ...(taxon.authorship !== null && { authorship: taxon.authorship }),
    ...(Object.keys(taxon.vernacularNames).length > 0 && {
      vernacular_names: taxon.vernacularNames,
    }),
    ...(parent !== null && { parent }),
    ...(taxon.gbifKey !== null && { gbif_key: taxon.gbifKey }),
    ...(taxon.itisTsn !== null && { itis_tsn: taxon.itisTsn }),
  };
}
