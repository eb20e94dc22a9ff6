/** The taxon of an occurrence. */
import { canonicalLanguage } from '../../../../core/formats';
import type { Row } from '../package/row';
import { higherTaxa, keysIn, type PackageTaxon } from '../package/taxa';

/** The ranks that have columns, from the highest; `species` follows from `genus` and `specificEpithet`. */
const RANKS = [
  'kingdom',
  'phylum',
  'class',
  'order',
  'superfamily',
  'family',
  'subfamily',
  'tribe',
  'subtribe',
  'genus',
  'subgenus',
] as const;

/** The ranks right below a species. */
const INFRASPECIFIC: ReadonlySet<string> = new Set(['subspecies', 'variety', 'form', 'forma']);

/** The language of a name whose language is not told (BCP 47). */
const UNDETERMINED = 'und';

/** The taxon of a row; null for an unnamed animal. */
export function readTaxon(row: Row): PackageTaxon | null {
  const authorship = row.text('scientificNameAuthorship');
  const binomial = joined(
    row.text('genericName') ?? row.text('genus'),
    row.text('specificEpithet'),
  );
  const trinomial = joined(binomial, row.text('infraspecificEpithet'));
  const given = row.text('scientificName');
  const scientificName =
    given === null ? (trinomial ?? binomial) : withoutAuthorship(given, authorship);
  if (scientificName === null) return null;
  const rank =
    row.text('taxonRank')?.toLowerCase() ?? (scientificName === binomial ? 'species' : null);
  const ids = ['taxonID', 'scientificNameID'].map((term) => keysIn(row.text(term) ?? ''));
  return {
    scientificName,
    rank,
    authorship,
    vernacularNames: vernacularNamesOf(row),
    gbifKey: ids.find(({ gbifKey }) => gbifKey !== null)?.gbifKey ?? null,
    itisTsn: ids.find(({ itisTsn }) => itisTsn !== null)?.itisTsn ?? null,
    higher: [
      ...higherTaxa((higher) => row.text(higher), RANKS, scientificName, rank),
      ...(binomial !== null && rank !== null && INFRASPECIFIC.has(rank)
        ? [{ scientificName: binomial, rank: 'species' }]
        : []),
    ],
    place: { file: row.file, line: row.line, field: 'scientificName' },
  };
}

const joined = (name: string | null, epithet: string | null): string | null =>
  name === null || epithet === null ? null : `${name} ${epithet}`;

/** `Vulpes vulpes (Linnaeus, 1758)` without the authorship that the row has in a column of its own. */
function withoutAuthorship(name: string, authorship: string | null): string {
  if (authorship === null) return name;
  const end = [authorship, `(${authorship})`].find((text) => name.endsWith(` ${text}`));
  return end === undefined ? name : name.slice(0, -end.length).trim();
}

/** The first of several, in the language of the row. */
function vernacularNamesOf(row: Row): Record<string, string> {
  const name = row.text('vernacularName')?.split('|')[0]?.trim() ?? '';
  if (name === '') return {};
  const language = row.text('language');
  const tag = language === null ? null : canonicalLanguage(language);
  return { [tag ?? UNDETERMINED]: name };
}
