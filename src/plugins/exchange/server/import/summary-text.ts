import type { FaultKind } from './fault-kinds';
import type { ImportSummary, Tally } from './summary';

/** The exit codes of an import. */
export const EXIT = { ALL_IN: 0, FAILED: 1, USAGE: 2, PARTLY_IN: 3, STOPPED: 130 } as const;

/** Kinds of faults, and columns, that are listed; the report has all of them. */
const MOST_KINDS = 20;
const MOST_COLUMNS = 30;

/** The summary of an import for the operator: what became of the rows, what is wrong, and what to do next. */
export function summaryText(summary: ImportSummary, strict: boolean): string {
  const { taxa, individuals, encounters, photographs, source } = summary;
  return [
    rowsText(summary),
    `Package ${source}`,
    `  taxa:        ${tallyText(taxa)}`,
    `  individuals: ${tallyText(individuals)}`,
    `  encounters:  ${tallyText(encounters)}`,
    `  photographs: ${photographs.created} created, ${photographs.refused} refused, ${photographs.elsewhere} not in the package`,
    `  other rows:  ${leftOutText(summary)}`,
    ...columnsText('Kept without a field (verbatim):', summary.verbatim),
    ...columnsText('Not read:', summary.unread),
    ...faultsText(summary),
    outcomeText(summary, strict),
    ...(summary.report === null
      ? []
      : [`The faults (${summary.faults}) are listed in ${summary.report}`]),
  ].join('\n');
}

/** The exit code of a summary. */
export function exitCode({ stopped, faults }: ImportSummary, strict: boolean): number {
  if (stopped) return EXIT.STOPPED;
  if (faults === 0) return EXIT.ALL_IN;
  return strict ? EXIT.FAILED : EXIT.PARTLY_IN;
}

/** How many rows became records, and what became of the others. */
function rowsText(summary: ImportSummary): string {
  const { rows, kept, merged, encounters } = summary;
  const { created, existing, refused } = encounters;
  const became = kept ? 'became' : 'would have become';
  const left = Object.values(summary.leftOut).reduce((sum, count) => sum + count, 0);
  return [
    `Of ${rows} rows ${created} ${became} records`,
    ...(existing > 0 ? [`${existing} are records already`] : []),
    ...(merged > 0 ? [`${merged} belong to the record of another row`] : []),
    `${refused} were refused, ${left} were left out on purpose.`,
  ].join(', ');
}

function outcomeText(summary: ImportSummary, strict: boolean): string {
  const { stopped, kept, faults, encounters } = summary;
  if (stopped) {
    return kept
      ? 'Stopped; what has been imported is kept. Start it again to resume.'
      : 'Stopped; nothing has been imported. Start it again.';
  }
  if (!kept)
    return strict && faults > 0
      ? 'Nothing has been imported, because not all records are valid (--strict).'
      : 'Nothing has been imported (--dry-run).';
  const { created, existing, refused } = encounters;
  if (created === 0 && existing === 0)
    return 'Nothing has been imported: no row could be read as a record.';
  if (created === 0) return 'Nothing new has been imported.';
  if (refused > 0) return 'The other rows have been imported.';
  return faults === 0
    ? 'Everything has been imported.'
    : 'All rows have been imported, without the values that are listed above.';
}

function tallyText({ created, existing, refused }: Tally): string {
  return `${created} created, ${existing} already there, ${refused} refused`;
}

function leftOutText({ merged, leftOut }: ImportSummary): string {
  const rows = Object.entries({ 'media of other encounters': merged, ...leftOut });
  const some = rows.filter(([, count]) => count > 0);
  return some.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
}

type Columns = Readonly<Record<string, Readonly<Record<string, number | null>>>>;

/** Columns with the number of their filled cells, by file. */
function columnsText(title: string, files: Columns): string[] {
  const lines = Object.entries(files).map(([file, columns]) => {
    const all = Object.entries(columns);
    const shown = all
      .slice(0, MOST_COLUMNS)
      .map(([column, cells]) => (cells === null ? column : `${column} (${cells})`));
    const more = all.length > MOST_COLUMNS ? `, and ${all.length - MOST_COLUMNS} more` : '';
    return `  ${file}: ${shown.join(', ')}${more}`;
  });
  return lines.length === 0 ? [] : [title, ...lines];
}

/** The most frequent faults, each with the first places. */
function faultsText({ kinds }: ImportSummary): string[] {
  if (kinds.length === 0) return [];
  const sorted = [...kinds].sort((one, other) => other.count - one.count);
  const more = sorted.length - MOST_KINDS;
  return [
    'Faults:',
    ...sorted.slice(0, MOST_KINDS).map(kindText),
    ...(more > 0 ? [`  and ${more} further kinds of faults`] : []),
  ];
}

function kindText({ field, reason, value, count, places }: FaultKind): string {
  const given = value === '' ? '' : ` (${value})`;
  const where = places.map(({ file, line }) => (line === null ? file : `${file}:${line}`));
  const rest = count > places.length ? ', ...' : '';
  return `  ${count} x ${field || 'the row'} ${reason}${given}: ${where.join(', ')}${rest}`;
}
