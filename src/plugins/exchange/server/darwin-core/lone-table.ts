/** A table of occurrences without a descriptor, whose headings are terms of Darwin Core. */
import { DEFAULT_DIALECT } from '../package/csv';
import { PackageError } from '../package/fault';
import type { PackageFiles } from '../package/package-files';
import { readRecords } from '../package/records';
import type { Archive } from './meta';

/** Between the cells of tables, the most usual first. */
const DELIMITERS = [',', '\t', ';', '|'];

/** Terms of which a table of occurrences has at least two. */
const TERMS: ReadonlySet<string> = new Set([
  ...['occurrenceID', 'gbifID', 'catalogNumber', 'scientificName', 'eventDate', 'decimalLatitude'],
  ...['decimalLongitude', 'basisOfRecord', 'organismID', 'recordedBy', 'individualCount'],
]);

const AT_LEAST = 2;

/** A heading as a term: `dwc:eventDate`, `http://rs.tdwg.org/dwc/terms/eventDate`, `eventDate`. */
const termOf = (heading: string): string => heading.trim().replace(/^.*[/#:]/, '');

/** @throws PackageError when the headings are not those of Darwin Core */
export async function describeTable(files: PackageFiles): Promise<Archive> {
  const path = files.table ?? '';
  const candidates = await Promise.all(
    DELIMITERS.map(async (delimiter) => ({
      delimiter,
      terms: await headings(files, path, delimiter),
    })),
  );
  const [best] = candidates.sort((one, other) => other.terms.length - one.terms.length);
  const terms = best?.terms ?? [];
  if (!best || terms.filter((term) => TERMS.has(term)).length < AT_LEAST)
    throw new PackageError(
      `${path} has no descriptor (datapackage.json or meta.xml), and its first line does not name terms of Darwin Core such as occurrenceID and eventDate.`,
    );
  const columns = new Map<string, number>();
  for (const [at, term] of terms.entries()) if (!columns.has(term)) columns.set(term, at);
  const table = {
    rowType: 'Occurrence',
    paths: [path],
    encoding: 'utf-8',
    dialect: { ...DEFAULT_DIALECT, header: false, delimiter: best.delimiter },
    headerLines: 1,
    columns,
    defaults: new Map<string, string>(),
    listSeparators: new Map<string, string>(),
  };
  return { core: table, events: null, extensions: [], metadata: null, faults: [] };
}

async function headings(files: PackageFiles, path: string, delimiter: string): Promise<string[]> {
  const format = { encoding: 'utf-8', dialect: { ...DEFAULT_DIALECT, delimiter } };
  const listeners = { onFault: () => undefined };
  for await (const { cells } of readRecords(files, format, path, listeners))
    return (cells ?? []).map(termOf);
  return [];
}
