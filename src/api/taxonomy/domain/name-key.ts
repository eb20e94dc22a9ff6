type Taxon = Readonly<Record<string, unknown>>;

const folded = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** The sign of a hybrid, with or without blanks, or a single `x` in its place: both stand before a name. */
const HYBRID_SIGN = /(?<=^|\s)(?:\s*×\s*|x\s+)(?=\S)/gu;

/** A scientific name as it is compared: without regard to case, to runs of blanks, and to the sign of a hybrid. */
const foldName = (name: unknown): string =>
  folded(name).trim().replace(/\s+/gu, ' ').replace(HYBRID_SIGN, '× ');

/**
 * What taxa of one kingdom differ in: name and rank, with an absent rank as a value of its own. They are separated by
 * U+001F, which no text contains.
 */
export const nameKey = (taxon: Taxon): string =>
  `${foldName(taxon['scientific_name'])}\u001f${folded(taxon['rank'])}`;
