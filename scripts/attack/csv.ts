/** The cells of a line of CSV, in quotes where they have them: nothing that is used here is a text with quotes in it. */
export const cellsOf = (line: string): string[] =>
  [...line.trimEnd().matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
