/** The taxon of an occurrence. */
import { canonicalLanguage } from '../../../../core/formats';
import type { TableRow } from '../package/row';
import { parseName } from '../package/scientific-name';
import type { NamedTaxon, PackageTaxon } from '../package/named-taxon';
import { keysIn } from '../package/taxa';
import { higherOf } from './higher';

/** The ranks right below a species. */
const INFRASPECIFIC: ReadonlySet<string> = new Set(['subspecies', 'variety', 'form', 'forma']);

/** Kingdoms in whose names a mark such as `subsp.` stands before the third word. */
const WITH_MARKS = /^(?:plantae|fungi|chromista|bacteria|viridiplantae)$/i;

/** The language of a name whose language is not told (BCP 47). */
const UNDETERMINED = 'und';

/** What ranks are called besides, in the words of taxonRank that GBIF reads. */
const RANK_WORDS: Readonly<Record<string, string>> = {
  sp: 'species',
  'sp.': 'species',
  spp: 'species',
  'spp.': 'species',
  ssp: 'subspecies',
  'ssp.': 'subspecies',
  'subsp.': 'subspecies',
  subsp: 'subspecies',
  gen: 'genus',
  'gen.': 'genus',
  fam: 'family',
  'fam.': 'family',
  var: 'variety',
  'var.': 'variety',
};

/** The taxon of a row; null for an unnamed animal. What makes an identification uncertain stays in the row. */
export function readTaxon(row: TableRow): PackageTaxon | null {
  const told = row.text('scientificNameAuthorship');
  const binomial = joined(
    row.text('genericName') ?? row.peek('genus'),
    row.text('specificEpithet'),
  );
  const trinomial = joined(binomial, row.text('infraspecificEpithet'));
  const text = row.text('scientificName');
  const kingdom = kingdomOf(row);
  const given = text === null ? null : withoutAuthorship(text, told);
  const parsed = given === null ? null : parseName(given, !WITH_MARKS.test(kingdom ?? ''));
  if (parsed && (parsed.name === null || parsed.qualifier !== null)) row.release('scientificName');
  const scientificName = parsed ? parsed.name : (trinomial ?? binomial);
  if (scientificName === null) {
    row.release('genericName', 'specificEpithet', 'infraspecificEpithet');
    row.release('scientificNameAuthorship');
    return null;
  }
  const rank = rankOf(row, scientificName, binomial, parsed?.qualifier ?? null);
  const ids = ['taxonID', 'scientificNameID'].map((term) => keysOf(row, term));
  const higher = higherOf(row, scientificName, rank);
  return {
    scientificName,
    rank,
    kingdom: rank === 'kingdom' ? scientificName : kingdom,
    authorship: told ?? parsed?.authorship ?? null,
    vernacularNames: vernacularNamesOf(row),
    ...identifiersIn(ids),
    higher: [...higher, ...speciesOf(binomial, rank, higher, kingdom)],
    place: { file: row.file, line: row.line, field: 'scientificName' },
  };
}

const identifiersIn = (
  ids: readonly ReturnType<typeof keysOf>[],
): Pick<PackageTaxon, 'gbifKey' | 'itisTsn'> => ({
  gbifKey: ids.find((one) => one?.gbifKey)?.gbifKey ?? null,
  itisTsn: ids.find((one) => one?.itisTsn)?.itisTsn ?? null,
});

/** The species of what is below one. */
function speciesOf(
  binomial: string | null,
  rank: string | null,
  higher: readonly NamedTaxon[],
  kingdom: string | null,
): NamedTaxon[] {
  const isBelow = binomial !== null && rank !== null && INFRASPECIFIC.has(rank);
  if (!isBelow || higher.some(({ scientificName }) => scientificName === binomial)) return [];
  return [{ scientificName: binomial, rank: 'species', kingdom }];
}

/** An identifier that is no address of a known list stays in the row. */
function keysOf(row: TableRow, term: string): ReturnType<typeof keysIn> | null {
  const text = row.peek(term);
  if (text === null) return null;
  const keys = keysIn(text);
  if (keys.gbifKey !== null || keys.itisTsn !== null) row.take(term);
  return keys;
}

const kingdomOf = (row: TableRow): string | null => {
  const kingdom = row.peek('kingdom');
  return kingdom === null ? null : parseName(kingdom, true).name;
};

const joined = (name: string | null, epithet: string | null): string | null =>
  name === null || epithet === null ? null : `${name} ${epithet}`;

/** `taxonRank`; one that contradicts the name is told. */
function rankOf(
  row: TableRow,
  name: string,
  binomial: string | null,
  qualifier: string | null,
): string | null {
  const given = row.text('taxonRank')?.toLowerCase() ?? null;
  const rank = given === null ? null : (RANK_WORDS[given] ?? given);
  const words = name.split(' ').length;
  if (qualifier !== null) {
    const above = aboveQualifier(name, words);
    if (rank !== above) row.release('taxonRank');
    return above;
  }
  if (rank === null) return name === binomial ? 'species' : null;
  const isWrong =
    ((rank === 'species' && words === 1) ||
      (words > 1 && /^(?:genus|family|order|class|phylum|kingdom)$/.test(rank)) ||
      (rank === 'subspecies' && words < 3)) &&
    /^\p{Lu}[\p{Ll}-]+(?: [\p{Ll}-]+)*$/u.test(name);
  return isWrong ? row.refuse('taxonRank', `does not fit the name ${name}, and is left out`) : rank;
}

/** The rank of a name before a qualifier; null where its form does not tell. */
function aboveQualifier(name: string, words: number): string | null {
  if (words > 1) return words === 2 ? 'species' : null;
  return /(?:idae|inae|oidea|formes|ales|aceae)$/.test(name) ? null : 'genus';
}

/** `Vulpes vulpes (Linnaeus, 1758)` without the authorship that the row has in a column of its own. */
function withoutAuthorship(name: string, authorship: string | null): string {
  if (authorship === null) return name;
  const end = [authorship, `(${authorship})`].find((text) => name.endsWith(` ${text}`));
  return end === undefined ? name : name.slice(0, -end.length).trim();
}

/** The first of several, in the language of the row; names by their languages, as an archive of this service has them. */
function vernacularNamesOf(row: TableRow): Record<string, string> {
  const text = row.text('vernacularName');
  const name = text?.split('|')[0]?.trim() ?? '';
  if (text?.includes('|')) row.release('vernacularName');
  if (name === '') return {};
  const language = row.text('language');
  const tag = language === null ? null : canonicalLanguage(language);
  return { [tag ?? UNDETERMINED]: name };
}
