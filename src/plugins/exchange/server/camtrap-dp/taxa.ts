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
 * `taxonomic` does not list becomes a taxon without rank, unless the package has one taxon of this name elsewhere; a
 * listed name without observations (such as that of the people who set up the camera) is not created.
 */
export function planTaxa(names: readonly string[], taxonomic: readonly PackageTaxon[]): TaxaPlan {
  const told = collect(taxonomic);
  const plans = new Map<string, TaxonPlan>();
  const plan = ({ scientificName, rank }: Named): TaxonPlan => {
    const key = keyOf(scientificName, rank);
    const known = plans.get(key);
    if (known) return known;
    const above = told.parents.get(key);
    // Ancestors are of ever higher ranks, so that this ends.
    const parent = above ? plan(above) : null;
    const described = told.listed.get(key);
    const made: TaxonPlan = {
      scientificName: described?.scientificName ?? scientificName,
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
  for (const name of names) byName.set(taxonKey(name), plan(told.named(name)));
  return { taxa: [...plans.values()], byName };
}

/** A taxon by its name and rank. */
interface Named {
  readonly scientificName: string;
  readonly rank: string | null;
}

/** What a package tells of its taxa. */
interface Told {
  /** By name and rank; the first of those that are listed twice. */
  readonly listed: ReadonlyMap<string, PackageTaxon>;
  /** The nearest ancestor of each, as it is told first: also of a genus that only a species of it tells of. */
  readonly parents: ReadonlyMap<string, Named>;
  /** The taxon that observations mean by a name. */
  readonly named: (name: string) => Named;
}

function collect(taxonomic: readonly PackageTaxon[]): Told {
  const listed = new Map<string, PackageTaxon>();
  const parents = new Map<string, Named>();
  const byName = new Map<string, Named[]>();
  const tell = (taxon: Named, parent: Named | undefined): void => {
    const [name, key] = [taxonKey(taxon.scientificName), keyOf(taxon.scientificName, taxon.rank)];
    const known = byName.get(name) ?? [];
    if (!known.some(({ rank }) => rank === taxon.rank)) byName.set(name, [...known, taxon]);
    if (parent && !parents.has(key)) parents.set(key, parent);
  };
  // Those that are listed themselves come first.
  for (const taxon of taxonomic) {
    const key = keyOf(taxon.scientificName, taxon.rank);
    if (!listed.has(key)) listed.set(key, taxon);
    tell(taxon, taxon.higher.at(-1));
  }
  for (const { higher } of taxonomic)
    for (const [at, taxon] of higher.entries()) tell(taxon, higher[at - 1]);
  const named = (name: string): Named => {
    const [first = { scientificName: name, rank: null }, ...others] =
      byName.get(taxonKey(name)) ?? [];
    return first.rank === null && others.length === 1 ? (others[0] ?? first) : first;
  };
  return { listed, parents, named };
}

const keyOf = (scientificName: string, rank: string | null): string =>
  JSON.stringify([taxonKey(scientificName), rank]);
