import type { Place } from './fault';

/** A taxon by its name and rank. */
export interface Named {
  readonly scientificName: string;
  /** In lower case; null if unknown. */
  readonly rank: string | null;
}

interface Described extends Named {
  readonly authorship: string | null;
  /** By canonical BCP 47 tag. */
  readonly vernacularNames: Readonly<Record<string, string>>;
  readonly gbifKey: number | null;
  readonly itisTsn: number | null;
}

/** A taxon as a package describes it. */
export interface PackageTaxon extends Described {
  /** Its ancestors, from the highest. */
  readonly higher: readonly Named[];
  /** Of its name in the package. */
  readonly place: Place;
}

/** A taxon that has to exist before the encounters of a package are created. */
export interface TaxonPlan extends Described {
  /** Its parent, an earlier taxon of the plan. */
  readonly parent: TaxonPlan | null;
  readonly place: Place;
}

/** The taxa that a package needs. */
export interface TaxaPlan {
  /** Distinct taxa, parents first. */
  readonly taxa: readonly TaxonPlan[];
  /** The taxon of each name and rank in use, by `taxonKeyOf`. */
  readonly byKey: ReadonlyMap<string, TaxonPlan>;
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
): Named[] {
  const end = ownRank === null ? -1 : ranks.indexOf(ownRank);
  return ranks.slice(0, end === -1 ? undefined : end).flatMap((rank) => {
    const scientificName = nameAt(rank);
    return scientificName === null || scientificName === own ? [] : [{ rank, scientificName }];
  });
}

/** Scientific names are the same without regard to case. */
export function taxonKey(scientificName: string | null): string {
  return scientificName?.toLowerCase() ?? '';
}

export const taxonKeyOf = ({ scientificName, rank }: Named): string =>
  JSON.stringify([taxonKey(scientificName), rank]);

/**
 * Plans the taxa that animals have, with their ancestors in the package. A name without a rank that the package does not
 * describe becomes a taxon without rank, unless the package has one taxon of this name elsewhere; a taxon without animals
 * (such as that of the people who set up the camera) is not created.
 *
 * @param place the place of taxa that are not described
 */
export function planTaxa(
  used: Iterable<Named>,
  described: readonly PackageTaxon[],
  place: Place,
): TaxaPlan {
  const told = collect(described);
  const plans = new Map<string, TaxonPlan>();
  const plan = ({ scientificName, rank }: Named): TaxonPlan => {
    const key = taxonKeyOf({ scientificName, rank });
    const known = plans.get(key);
    if (known) return known;
    const above = told.parents.get(key);
    // Ancestors are of ever higher ranks, so that this ends.
    const parent = above ? plan(above) : null;
    const found = told.listed.get(key);
    const made: TaxonPlan = {
      scientificName: found?.scientificName ?? scientificName,
      rank,
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
  const byKey = new Map<string, TaxonPlan>();
  for (const name of used) byKey.set(taxonKeyOf(name), plan(told.named(name)));
  return { taxa: [...plans.values()], byKey };
}

/** What a package tells of its taxa. */
interface Told {
  /** By name and rank; the first of those that are listed twice. */
  readonly listed: ReadonlyMap<string, PackageTaxon>;
  /** The nearest ancestor of each, as it is told first: also of a genus that only a species of it tells of. */
  readonly parents: ReadonlyMap<string, Named>;
  /** The taxon that observations mean by a name. */
  readonly named: (name: Named) => Named;
}

function collect(described: readonly PackageTaxon[]): Told {
  const listed = new Map<string, PackageTaxon>();
  const parents = new Map<string, Named>();
  const byName = new Map<string, Named[]>();
  const tell = (taxon: Named, parent: Named | undefined): void => {
    const [name, key] = [taxonKey(taxon.scientificName), taxonKeyOf(taxon)];
    const known = byName.get(name) ?? [];
    if (!known.some(({ rank }) => rank === taxon.rank)) byName.set(name, [...known, taxon]);
    if (parent && !parents.has(key)) parents.set(key, parent);
  };
  // Those that are listed themselves come first.
  for (const taxon of described) {
    const key = taxonKeyOf(taxon);
    if (!listed.has(key)) listed.set(key, taxon);
    tell(taxon, taxon.higher.at(-1));
  }
  for (const { higher } of described)
    for (const [at, taxon] of higher.entries()) tell(taxon, higher[at - 1]);
  const named = (name: Named): Named => {
    if (name.rank !== null) return name;
    const [first = name, ...others] = byName.get(taxonKey(name.scientificName)) ?? [];
    return first.rank === null && others.length === 1 ? (others[0] ?? first) : first;
  };
  return { listed, parents, named };
}
