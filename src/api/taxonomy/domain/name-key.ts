type Taxon = Readonly<Record<string, unknown>>;

const folded = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/**
 * What two taxa may not have in common: name and rank without regard to case, an absent rank
 * counting as a value. U+001F, which no text holds, stands between the two.
 */
export const nameKey = (taxon: Taxon): string =>
  `${folded(taxon['scientific_name'])}\u001f${folded(taxon['rank'])}`;
