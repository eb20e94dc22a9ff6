import { taxonKey, taxonKeyOf, type NamedTaxon, type PackageTaxon } from './named-taxon';

const same = (one: string | null | undefined, other: string | null | undefined): boolean =>
  taxonKey(one ?? null) === taxonKey(other ?? null);

/** What a package tells of its taxa. */
export class Told {
  /** By name, rank and kingdom; the first of those that are listed twice. */
  private readonly described = new Map<string, PackageTaxon>();
  /** The nearest ancestor of each, as it is told first: also of a genus that only a species of it tells of. */
  private readonly parents = new Map<string, NamedTaxon>();
  private readonly byName = new Map<string, NamedTaxon[]>();

  /** @param used names that may have no description */
  constructor(described: readonly PackageTaxon[], used: Iterable<NamedTaxon>) {
    // Those that are listed themselves come first.
    for (const taxon of described) {
      const key = taxonKeyOf(taxon);
      if (!this.described.has(key)) this.described.set(key, taxon);
      this.tell(taxon, taxon.higher.at(-1));
    }
    for (const { higher } of described)
      for (const [at, taxon] of higher.entries()) this.tell(taxon, higher[at - 1]);
    const names = new Set([...used].map(({ scientificName }) => taxonKey(scientificName)));
    for (const taxon of described)
      if (taxon.scientificName.includes(' ')) this.tellGenus(taxon, names);
  }

  /** A genus in use is above its species, also where neither tells so: it is the first word of their names. */
  private tellGenus(species: PackageTaxon, used: ReadonlySet<string>): void {
    const [genus = ''] = species.scientificName.split(' ');
    const isUsed = used.has(taxonKey(genus));
    if (!isUsed || species.higher.some(({ scientificName }) => same(scientificName, genus))) return;
    const { kingdom = null } = species;
    const named = this.named({ scientificName: genus, rank: 'genus', kingdom });
    if (!named) return;
    const above = species.higher.at(-1);
    this.tell(named, above);
    this.parents.set(taxonKeyOf(species), named);
  }

  /** How the package describes a taxon, with or without its kingdom. */
  listed(taxon: NamedTaxon): PackageTaxon | undefined {
    return this.look(this.described, taxon);
  }

  parentOf(taxon: NamedTaxon): NamedTaxon | undefined {
    return this.look(this.parents, taxon);
  }

  /** The taxon that a name means: with the rank and the kingdom that the package tells; null where two kingdoms have it. */
  named(name: NamedTaxon): NamedTaxon | null {
    const all = this.byName.get(taxonKey(name.scientificName)) ?? [];
    const fitting = all.filter(
      ({ rank, kingdom }) =>
        (!name.kingdom || !kingdom || same(kingdom, name.kingdom)) &&
        (name.rank === null || rank === null || rank === name.rank),
    );
    const kingdoms = new Map(
      fitting.flatMap(({ kingdom }) => (kingdom ? [[taxonKey(kingdom), kingdom] as const] : [])),
    );
    if (kingdoms.size > 1) return null;
    const kingdom = [...kingdoms.values()][0] ?? name.kingdom ?? null;
    const ranks = new Set(fitting.flatMap(({ rank }) => rank ?? []));
    const [only = null] = ranks;
    const rank = name.rank ?? (ranks.size === 1 ? only : (fitting[0]?.rank ?? null));
    const scientificName = fitting[0]?.scientificName ?? name.scientificName;
    return { scientificName, rank, kingdom };
  }

  private tell(taxon: NamedTaxon, parent: NamedTaxon | undefined): void {
    const [name, key] = [taxonKey(taxon.scientificName), taxonKeyOf(taxon)];
    const known = this.byName.get(name) ?? [];
    if (!known.some((one) => taxonKeyOf(one) === key)) this.byName.set(name, [...known, taxon]);
    if (parent && !this.parents.has(key)) this.parents.set(key, parent);
  }

  private look<T>(
    table: ReadonlyMap<string, T>,
    { scientificName, rank, kingdom }: NamedTaxon,
  ): T | undefined {
    for (const one of [rank, null])
      for (const other of [kingdom, null]) {
        const found = table.get(taxonKeyOf({ scientificName, rank: one, kingdom: other }));
        if (found !== undefined) return found;
      }
    return undefined;
  }
}
