import type { Caller } from '../../../../core/caller';
import type { Body } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import { ApiError } from '../../../../core/errors';
import { isSame } from '../../../../core/text';
import type { Fault } from '../package/fault';
import { taxonKey } from '../package/named-taxon';
import type { TaxonPlan } from '../package/taxa';
import { refusals, valueText } from './reasons';
import type { Tally } from './summary';

const TYPE = 'taxonomy';

/** Steps up from a taxon; it has no circles, but it may change meanwhile. */
const MAX_ABOVE = 100;

interface Writing {
  readonly objects: Objects;
  readonly caller: Caller;
  readonly tally: Tally;
  readonly onFault: (fault: Fault) => void;
}

/** In place of the ID of a taxon: several have its name, of different kingdoms, and the package does not say which. */
export const AMBIGUOUS = Symbol('of several kingdoms');

type Found = string | typeof AMBIGUOUS;

export type TaxonIds = ReadonlyMap<TaxonPlan, Found>;

/** Taxa that are written at once: their changes share transactions. */
const AT_ONCE = 100;

/**
 * Finds or creates each taxon, parents first.
 *
 * @returns their IDs, without those of refused taxa, which are reported to `onFault`
 */
export async function writeTaxa(taxa: readonly TaxonPlan[], writing: Writing): Promise<TaxonIds> {
  const ids = new Map<TaxonPlan, Found>();
  for (const part of independentParts(taxa)) {
    const written = part.map(
      async (taxon) =>
        (await find(taxon, writing)) ?? (await make(taxon, nearestAncestor(taxon, ids), writing)),
    );
    // None goes on after an error of another.
    await Promise.allSettled(written);
    for (const [at, id] of (await Promise.all(written)).entries()) {
      const taxon = part[at];
      if (taxon && id !== null) ids.set(taxon, id);
    }
  }
  return ids;
}

/** Taxa of which none is above another, and none has the name or a key of another, which it may turn out to be. */
function* independentParts(taxa: readonly TaxonPlan[]): Generator<TaxonPlan[]> {
  let part: TaxonPlan[] = [];
  let known = new Set<string>();
  for (const taxon of taxa.toSorted((one, other) => depthOf(one) - depthOf(other))) {
    const own = identitiesOf(taxon);
    const [first] = part;
    const isNext = first !== undefined && depthOf(first) !== depthOf(taxon);
    if (isNext || own.some((one) => known.has(one)) || part.length === AT_ONCE) {
      yield part;
      part = [];
      known = new Set();
    }
    part.push(taxon);
    for (const one of own) known.add(one);
  }
  if (part.length > 0) yield part;
}

const identitiesOf = ({ scientificName, gbifKey, itisTsn }: TaxonPlan): string[] => [
  taxonKey(scientificName),
  ...(gbifKey === null ? [] : [`gbif ${gbifKey}`]),
  ...(itisTsn === null ? [] : [`itis ${itisTsn}`]),
];

const depthOf = ({ parent }: TaxonPlan): number => (parent === null ? 0 : 1 + depthOf(parent));

/** The nearest of its ancestors that there is; null without one. */
export function nearestAncestor({ parent }: TaxonPlan, ids: TaxonIds): string | null {
  if (parent === null) return null;
  const id = ids.get(parent);
  return typeof id === 'string' ? id : nearestAncestor(parent, ids);
}

/** By its key of GBIF or ITIS with any name where no taxon of its kingdom has its name and rank. */
async function find(taxon: TaxonPlan, writing: Writing): Promise<Found | null> {
  const { objects, tally } = writing;
  const { gbifKey, itisTsn } = taxon;
  const named = await findNamed(taxon, writing);
  const byKey =
    typeof named === 'string'
      ? named
      : ((gbifKey === null ? null : await objects.findUnique(TYPE, { gbif_key: gbifKey })) ??
        (itisTsn === null ? null : await objects.findUnique(TYPE, { itis_tsn: itisTsn })));
  if (byKey !== null) tally.existing += 1;
  return byKey ?? named;
}

/** By name and rank. */
async function findNamed(taxon: TaxonPlan, writing: Writing): Promise<Found | null> {
  const { scientificName, rank, kingdom } = taxon;
  const named = await writing.objects.findNamesakes(TYPE, {
    scientific_name: scientificName,
    rank,
  });
  if (!kingdom) return named.length > 1 ? AMBIGUOUS : (named[0] ?? null);
  for (const id of named) if (await isOfKingdom(id, kingdom, writing)) return id;
  return null;
}

/** Whether a taxon that exists may be of a kingdom: also where it has none. */
async function isOfKingdom(
  id: string,
  kingdom: string,
  { objects, caller }: Writing,
): Promise<boolean> {
  let above: string | null = id;
  for (let step = 0; above !== null && step < MAX_ABOVE; step += 1) {
    const fields = ['scientific_name', 'rank', 'parent', 'accepted'];
    const { object }: { readonly object: Body } = await objects.inspect(
      TYPE,
      above,
      caller,
      fields,
    );
    if (object['rank'] === 'kingdom' && isSame(object['scientific_name'], kingdom)) return true;
    const { accepted, parent } = object;
    if (object['rank'] === 'kingdom' && typeof accepted !== 'string') return false;
    const next = accepted ?? parent;
    above = typeof next === 'string' ? next : null;
  }
  return true;
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
