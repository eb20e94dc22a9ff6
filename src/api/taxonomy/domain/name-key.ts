type Taxon = Readonly<Record<string, unknown>>;

const folded = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/**
 * The unique key of a taxon: name and rank without regard to case, with an absent rank as a value of its own. They are
 * separated by U+001F, which no text contains.
 */
export const nameKey = (taxon: Taxon): string =>
  `${folded(taxon['scientific_name'])}\u001f${folded(taxon['rank'])}`;
