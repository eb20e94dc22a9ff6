/**
 * What R (`NA`, `NaN`), SQL (`NULL`, `\N`) and spreadsheets (`#N/A`, `-`) write where there is no value, and quotes with
 * nothing between them; in upper case.
 */
const MISSING: ReadonlySet<string> = new Set([
  ...['', 'NA', 'N/A', '#N/A', 'NULL', '\\N', 'NAN', '-', '--', '–', '—', '""', "''"],
]);

/** The characters of the longest of them. */
const LONGEST = 4;

/** Whether a trimmed text stands for no value. */
export const isMissing = (text: string): boolean =>
  text.length <= LONGEST && MISSING.has(text.toUpperCase());
