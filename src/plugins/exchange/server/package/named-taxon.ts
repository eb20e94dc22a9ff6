import type { ValuePlace } from './fault';

/** A taxon by its name and rank, in its kingdom: different kingdoms have the same names. */
export interface NamedTaxon {
  readonly scientificName: string;
  /** In lower case; null if unknown. */
  readonly rank: string | null;
  /** Null or absent if unknown. */
  readonly kingdom?: string | null;
}

export interface Described extends NamedTaxon {
  readonly authorship: string | null;
  /** By canonical BCP 47 tag. */
  readonly vernacularNames: Readonly<Record<string, string>>;
  readonly gbifKey: number | null;
  readonly itisTsn: number | null;
}

/** A taxon as a package describes it. */
export interface PackageTaxon extends Described {
  /** Its ancestors, from the highest. */
  readonly higher: readonly NamedTaxon[];
  /** Of its name in the package. */
  readonly place: ValuePlace;
}

/** Scientific names are the same without regard to case. */
export function taxonKey(scientificName: string | null): string {
  return scientificName?.toLowerCase() ?? '';
}

export const taxonKeyOf = ({ scientificName, rank, kingdom }: NamedTaxon): string =>
  JSON.stringify([taxonKey(scientificName), rank, kingdom ? taxonKey(kingdom) : null]);
