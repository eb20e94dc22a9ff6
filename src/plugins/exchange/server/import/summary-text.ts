import type { Summary, Tally } from './summary';

/** The exit codes of an import. */
export const EXIT = { ALL_IN: 0, FAILED: 1, USAGE: 2, PARTLY_IN: 3, STOPPED: 130 } as const;

/** The summary of an import for the operator: counts, and what to do next. */
export function summaryText(summary: Summary, strict: boolean): string {
  const { taxa, individuals, encounters, photographs, source } = summary;
  return [
    `Package ${source}`,
    `  taxa:        ${tallyText(taxa)}`,
    `  individuals: ${tallyText(individuals)}`,
    `  encounters:  ${tallyText(encounters)}`,
    `  photographs: ${photographs.created} created, ${photographs.refused} refused, ${photographs.elsewhere} not in the package`,
    `  other rows:  ${leftOutText(summary)}`,
    outcomeText(summary, strict),
    ...(summary.report === null
      ? []
      : [`The faults (${summary.faults}) are listed in ${summary.report}`]),
  ].join('\n');
}

/** The exit code of a summary. */
export function exitCode({ stopped, faults }: Summary, strict: boolean): number {
  if (stopped) return EXIT.STOPPED;
  if (faults === 0) return EXIT.ALL_IN;
  return strict ? EXIT.FAILED : EXIT.PARTLY_IN;
}

function outcomeText({ stopped, kept, faults }: Summary, strict: boolean): string {
  if (stopped) {
    return kept
      ? 'Stopped; what has been imported is kept. Start it again to resume.'
      : 'Stopped; nothing has been imported. Start it again.';
  }
  if (kept)
    return faults === 0 ? 'Everything has been imported.' : 'All valid records have been imported.';
  return strict && faults > 0
    ? 'Nothing has been imported, because not all records are valid (--strict).'
    : 'Nothing has been imported (--dry-run).';
}

function tallyText({ created, existing, refused }: Tally): string {
  return `${created} created, ${existing} already there, ${refused} refused`;
}

function leftOutText({ merged, leftOut }: Summary): string {
  const rows = Object.entries({ 'media of other encounters': merged, ...leftOut });
  const some = rows.filter(([, count]) => count > 0);
  return some.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
}
