import type { ValuePlace } from './fault';
import { taxonKeyOf, type Described, type NamedTaxon, type PackageTaxon } from './named-taxon';
import { Told } from './told-taxa';

/** A taxon that has to exist before the encounters of a package are created. */
export interface TaxonPlan extends Described {
  /** Its parent, an earlier taxon of the plan. */
  readonly parent: TaxonPlan | null;
  readonly place: ValuePlace;
}

/** The taxa that a package needs. */
export interface TaxaPlan {
  /** Distinct taxa, parents first. */
  readonly taxa: readonly TaxonPlan[];
  /** The taxon of each name and rank in use, by `taxonKeyOf`; null for a name that several kingdoms have. */
  readonly byKey: ReadonlyMap<string, TaxonPlan | null>;
}

const GBIF = /^(?:https?:\/\/(?:www\.|api\.)?gbif\.org\/(?:v1\/)?species\/|gbif:)(\d+)\/?$/i;
const ITIS =
  /^(?:https?:\/\/(?:www\.)?itis\.gov\/.*[?&]search_value=|urn:lsid:itis\.gov:itis_tsn:|itis:)(\d+)$/i;

/** The maximum of the fields for foreign keys. */
const MAX_KEY = 2_147_483_647;

/** The keys of GBIF and ITIS in a taxon's identifier, which has to be a URL of theirs: a bare number may be any other key. */
export function keysIn(taxonId: string): Pick<PackageTaxon, 'gbifKey' | 'itisTsn'> {
  return { gbifKey: keyIn(taxonId, GBIF), itisTsn: keyIn(taxonId, ITIS) };
}

function keyIn(taxonId: string, pattern: RegExp): number | null {
  const key = Number(pattern.exec(taxonId)?.[1] ?? 0);
  return key > 0 && key <= MAX_KEY ? key : null;
}

/** The ancestors of a taxon in columns of these ranks, as far as they are above its own. */
export function higherTaxa(
  nameAt: (rank: string) => string | null,
  ranks: readonly string[],
  own: string,
  ownRank: string | null,
): NamedTaxon[] {
  const end = ownRank === null ? -1 : ranks.indexOf(ownRank);
  const kingdom = nameAt('kingdom');
  return ranks.slice(0, end === -1 ? undefined : end).flatMap((rank) => {
    const scientificName = nameAt(rank);
    return scientificName === null || scientificName === own
      ? []
      : [{ rank, scientificName, kingdom }];
  });
}

/**
 * Plans the taxa that animals have, with their ancestors in the package. A name without a rank that the package does not
 * describe becomes a taxon without rank, unless the package has one taxon of this name elsewhere, and so for kingdoms; a
 * taxon without animals (such as that of the people who set up the camera) is not created.
 *
 * @param place the place of taxa that are not described
 */
export function planTaxa(
  used: Iterable<NamedTaxon>,
  described: readonly PackageTaxon[],
  place: ValuePlace,
): TaxaPlan {
  const names = [...used];
  const told = new Told(described, names);
  const plans = new Map<string, TaxonPlan>();
  const underWay = new Set<string>();
  const plan = (taxon: NamedTaxon): TaxonPlan | null => {
    const key = taxonKeyOf(taxon);
    const known = plans.get(key);
    if (known) return known;
    // Two rows may each place the taxon of the other above their own.
    if (underWay.has(key)) return null;
    underWay.add(key);
    const above = told.parentOf(taxon);
    const named = above && told.named({ kingdom: taxon.kingdom ?? null, ...above });
    const parent = named ? plan(named) : null;
    underWay.delete(key);
    const found = told.listed(taxon);
    const made: TaxonPlan = {
      scientificName: found?.scientificName ?? taxon.scientificName,
      rank: taxon.rank,
      kingdom: taxon.kingdom ?? null,
      authorship: found?.authorship ?? null,
      vernacularNames: found?.vernacularNames ?? {},
      gbifKey: found?.gbifKey ?? null,
      itisTsn: found?.itisTsn ?? null,
      parent,
      place: found?.place ?? place,
    };
    plans.set(key, made);
    return made;
  };
  const byKey = new Map<string, TaxonPlan | null>();
  for (const name of names) {
    const named = told.named(name);
    byKey.set(taxonKeyOf(name), named && plan(named));
  }
  return { taxa: [...plans.values()], byKey };
}
