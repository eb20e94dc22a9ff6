/** The taxa above that of an occurrence. */
import type { TableRow } from '../package/row';
import { parseName } from '../package/scientific-name';
import type { NamedTaxon } from '../package/named-taxon';

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

interface Above {
  readonly scientificName: string;
  readonly rank: string | null;
}

/**
 * The ancestors in the columns of their ranks and in `higherClassification`, which also has those of other ranks, from
 * the highest. `parentNameUsage` is the last one, where it is not among them.
 */
export function higherOf(row: TableRow, own: string, ownRank: string | null): NamedTaxon[] {
  const columns = inColumns(row, own, ownRank);
  const listed = inList(row, own, columns);
  const merged = listed.length === 0 ? columns : listed;
  const above = parentOf(row, own, merged);
  const kingdom = above.find(({ rank }) => rank === 'kingdom')?.scientificName ?? null;
  return above.map((one) => ({
    ...one,
    kingdom: one.rank === 'kingdom' ? one.scientificName : kingdom,
  }));
}

/** Those above the rank of the taxon. */
function inColumns(row: TableRow, own: string, ownRank: string | null): Above[] {
  const end = RANKS.findIndex((rank) => rank === ownRank);
  const found = RANKS.flatMap((rank): Above[] => {
    const text = row.text(rank);
    const name = text === null ? null : parseName(text, true).name;
    return name === null || name === own ? [] : [{ scientificName: name, rank }];
  });
  const below = end === -1 ? [] : RANKS.slice(end);
  return found.filter(({ rank }) => !below.some((one) => one === rank));
}

/** Those in `higherClassification`; with those of columns that it lacks, where they belong by their ranks. */
function inList(row: TableRow, own: string, columns: readonly Above[]): Above[] {
  const text = row.text('higherClassification');
  if (text === null) return [];
  const mark = ['|', ';', '>', ':', ','].find((one) => text.includes(one)) ?? '|';
  const names = text.split(mark).flatMap((part) => parseName(part, true).name ?? []);
  const ranks = new Map(
    columns.map(({ scientificName, rank }) => [scientificName.toLowerCase(), rank]),
  );
  const listed = names
    .filter((name) => name.toLowerCase() !== own.toLowerCase())
    .map((name) => ({ scientificName: name, rank: ranks.get(name.toLowerCase()) ?? rankIn(name) }));
  const missing = columns.filter(
    ({ scientificName }) => !listed.some((one) => isSame(one.scientificName, scientificName)),
  );
  for (const one of missing) listed.splice(placeFor(one, listed), 0, one);
  return listed;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A name of two words is that of a species. */
const rankIn = (name: string): string | null =>
  /^\p{Lu}[\p{Ll}-]+ [\p{Ll}-]+$/u.test(name) ? 'species' : null;

/** Before the first one of a lower rank. */
function placeFor({ rank }: Above, listed: readonly Above[]): number {
  const own = RANKS.findIndex((one) => one === rank);
  const at = listed.findIndex(
    (one) => one.rank === 'species' || RANKS.findIndex((other) => other === one.rank) > own,
  );
  return at === -1 ? listed.length : at;
}

function parentOf(row: TableRow, own: string, above: readonly Above[]): readonly Above[] {
  const text = row.peek('parentNameUsage');
  const name = text === null ? null : parseName(text, true).name;
  if (name === null || isSame(name, own)) return above;
  if (above.some(({ scientificName }) => isSame(scientificName, name))) {
    row.take('parentNameUsage');
    return above;
  }
  row.take('parentNameUsage');
  return [...above, { scientificName: name, rank: rankIn(name) }];
}
