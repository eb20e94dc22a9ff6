import { taxonKey } from './observations';
import type { PackageTaxon } from './taxonomic';

/** A taxon that has to exist before the encounters of a package are created. */
export interface TaxonPlan {
  readonly scientificName: string;
  readonly rank: string | null;
  readonly vernacularNames: Readonly<Record<string, string>>;
  readonly gbifKey: number | null;
  readonly itisTsn: number | null;
  /** Its parent, an earlier taxon of the plan. */
  readonly parent: TaxonPlan | null;
}

/** The taxa that a package needs. */
export interface TaxaPlan {
  /** Distinct taxa, parents first. */
  readonly taxa: readonly TaxonPlan[];
  /** The taxon of each scientific name, by `taxonKey`. */
  readonly byName: ReadonlyMap<string, TaxonPlan>;
}

/**
 * Plans the taxa of the scientific names that observations use, with their ancestors in the package. A name that
 * `taxonomic` does not list becomes a taxon without rank; a listed name without observations (such as that of the
 * people who set up the camera) is not created.
 */
export function planTaxa(names: readonly string[], taxonomic: readonly PackageTaxon[]): TaxaPlan {
  const listed = new Map<string, PackageTaxon>();
  for (const taxon of taxonomic) {
    for (const key of [taxonKey(taxon.scientificName), keyOf(taxon.scientificName, taxon.rank)]) {
      if (!listed.has(key)) listed.set(key, taxon);
    }
  }
  const plans = new Map<string, TaxonPlan>();
  const plan = (
    scientificName: string,
    rank: string | null,
    parent: TaxonPlan | null,
  ): TaxonPlan => {
    const key = keyOf(scientificName, rank);
    const known = plans.get(key);
    if (known) return known;
    const described = listed.get(key);
    const made: TaxonPlan = {
      scientificName,
      rank,
      vernacularNames: described?.vernacularNames ?? {},
      gbifKey: described?.gbifKey ?? null,
      itisTsn: described?.itisTsn ?? null,
      parent,
    };
    plans.set(key, made);
    return made;
  };
  const byName = new Map<string, TaxonPlan>();
  for (const name of names) {
    const taxon = listed.get(taxonKey(name));
    let parent: TaxonPlan | null = null;
    for (const higher of taxon?.higher ?? [])
      parent = plan(higher.scientificName, higher.rank, parent);
    byName.set(taxonKey(name), plan(taxon?.scientificName ?? name, taxon?.rank ?? null, parent));
  }
  return { taxa: [...plans.values()], byName };
}

const keyOf = (scientificName: string, rank: string | null): string =>
  JSON.stringify([taxonKey(scientificName), rank]);
