/** The descriptor of a Darwin Core archive (https://dwc.tdwg.org/text/). */
import { acceptText } from '../../../../core/text';
import type { CsvDialect } from '../package/csv';
import { PackageError, type Fault } from '../package/fault';
import { META, pathInside, type PackageFiles } from '../package/package-files';
import { encodingOf } from '../package/records';
import { childrenOf, readXml, type XmlElement } from './xml';

/** A table of an archive. */
export interface ArchiveTable {
  /** Without the part in front of the last slash: `Occurrence`. */
  readonly rowType: string;
  readonly paths: readonly string[];
  readonly encoding: string;
  readonly dialect: CsvDialect;
  /** The number of lines of each file that are no records. */
  readonly headerLines: number;
  /** The index of each column by its term; that of the core's ID is `ID_COLUMN`. */
  readonly columns: ReadonlyMap<string, number>;
  /** The values of terms without a column, and of empty cells. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The separators of lists in cells, by term, as far as the descriptor says them. */
  readonly listSeparators: ReadonlyMap<string, string>;
}

export interface Archive {
  /** The table of the occurrences. */
  readonly core: ArchiveTable;
  /** The table of the events of which they are, where that is the core of the archive. */
  readonly events: ArchiveTable | null;
  readonly extensions: readonly ArchiveTable[];
  /** The path of the metadata of the dataset; null if it has none. */
  readonly metadata: string | null;
  /** What of the descriptor cannot be read. */
  readonly faults: readonly Fault[];
}

/** The name under which the column of `id` and `coreid` is known: no term begins with an `@`. */
export const ID_COLUMN = '@id';

const NO_TERM = 'has a field without a term, whose column is not read';

/** The largest index of a column. */
const MAX_INDEX = 10_000;

/** Terms of this namespace stand for the same ones of Darwin Core with IRIs as values. */
const IRI_TERMS = 'http://rs.tdwg.org/dwc/iri/';

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/**
 * Reads and checks `meta.xml`.
 *
 * @throws PackageError when it is none, or its core is no table of occurrences
 */
export async function readMeta(files: PackageFiles): Promise<Archive> {
  const root = await readXml(files, META);
  if (root.name !== 'archive') {
    throw new PackageError(`${META} is no Darwin Core archive: its root is <${root.name}>.`);
  }
  const [core, ...more] = childrenOf(root, 'core');
  if (!core) throw new PackageError(`${META} names no core.`);
  if (more.length > 0) throw new PackageError(`${META} names ${more.length + 1} cores.`);
  const faults: Fault[] = [];
  const table = tableOf(core, 'id', faults);
  const extensions = childrenOf(root, 'extension').map((one) => tableOf(one, 'coreid', faults));
  const rest = { metadata: metadataOf(root), faults };
  if (table.rowType === 'Occurrence') return { core: table, events: null, extensions, ...rest };
  const occurrences = extensions.find(({ rowType }) => rowType === 'Occurrence');
  if (table.rowType === 'Event' && occurrences)
    return {
      core: occurrences,
      events: table,
      extensions: extensions.filter((one) => one !== occurrences),
      ...rest,
    };
  throw new PackageError(
    `The core of the archive is ${JSON.stringify(table.rowType)}; only archives with a core of occurrences, or of events with an extension of occurrences, can be imported.`,
  );
}

/** An address is not followed. */
function metadataOf(root: XmlElement): string | null {
  const path = root.attributes.get('metadata')?.trim() ?? '';
  return path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path) ? null : pathInside(path, 'metadata');
}

function tableOf(element: XmlElement, id: 'id' | 'coreid', faults: Fault[]): ArchiveTable {
  const rowType = localName(element.attributes.get('rowType') ?? '');
  if (rowType === '') throw new PackageError(`${META} has a table without a rowType.`);
  const paths = childrenOf(element, 'files')
    .flatMap((list) => childrenOf(list, 'location'))
    .map(({ text }) => pathInside(checkedLocation(text, rowType), rowType));
  if (paths.length === 0) throw new PackageError(`${META} names no file of ${rowType}.`);
  return {
    rowType,
    paths,
    encoding: encodingOf(element.attributes.get('encoding')?.trim() || 'utf-8', rowType),
    dialect: dialectOf(element, rowType),
    headerLines: wholeNumber(element.attributes.get('ignoreHeaderLines') || '0', rowType),
    ...columnsOf(element, id, rowType, faults),
  };
}

function checkedLocation(text: string, rowType: string): string {
  const path = text.trim();
  if (path === '') throw new PackageError(`${META} names a file of ${rowType} without a path.`);
  return path;
}

function dialectOf({ attributes }: XmlElement, rowType: string): CsvDialect {
  const quote = unescaped(attributes.get('fieldsEnclosedBy') ?? '"');
  const delimiter = unescaped(attributes.get('fieldsTerminatedBy') ?? ',');
  const terminator = unescaped(attributes.get('linesTerminatedBy') ?? '\n');
  if (delimiter === '' || /[\r\n]/.test(delimiter) || quote.length > 1 || terminator === '') {
    throw new PackageError(`The separators of ${rowType} in ${META} cannot be read.`);
  }
  return {
    delimiter,
    quote: quote === '' ? null : quote,
    escape: null,
    comment: null,
    skipInitialSpace: false,
    header: false,
    terminator: terminator === '\n' || terminator === '\r\n' ? null : terminator,
  };
}

/** Control characters are written as `\t`, `\n` and `\r`. */
const unescaped = (text: string): string =>
  text.replace(/\\([tnr\\])/g, (_, mark: string) => ESCAPES[mark] ?? '');

function columnsOf(
  element: XmlElement,
  id: 'id' | 'coreid',
  rowType: string,
  faults: Fault[],
): Pick<ArchiveTable, 'columns' | 'defaults' | 'listSeparators'> {
  const columns = new Map<string, number>();
  const defaults = new Map<string, string>();
  const listSeparators = new Map<string, string>();
  const [idElement] = childrenOf(element, id);
  const idIndex = idElement?.attributes.get('index');
  if (idIndex !== undefined) columns.set(ID_COLUMN, wholeNumber(idIndex, rowType));
  for (const { attributes } of childrenOf(element, 'field')) {
    const address = attributes.get('term')?.trim() ?? '';
    const term = localName(address);
    if (term === '') {
      const value = attributes.get('index') ?? '';
      faults.push({ file: META, line: null, field: rowType, reason: NO_TERM, value });
      continue;
    }
    if (address.startsWith(IRI_TERMS) || columns.has(term) || defaults.has(term)) continue;
    const index = attributes.get('index');
    const value = acceptText(attributes.get('default') ?? '');
    if (value === null)
      throw new PackageError(`${META} has a default of ${term} that is no proper text.`);
    const separator = attributes.get('delimitedBy') ?? '';
    if (index !== undefined) columns.set(term, wholeNumber(index, rowType));
    if (value !== '') defaults.set(term, value);
    if (separator !== '') listSeparators.set(term, unescaped(separator));
  }
  return { columns, defaults, listSeparators };
}

/** The name of a term or a type without its namespace. */
const localName = (address: string): string => address.trim().replace(/^.*[/#]/, '');

function wholeNumber(text: string, rowType: string): number {
  const value = /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : Infinity;
  if (value <= MAX_INDEX) return value;
  throw new PackageError(`${META} has the number ${JSON.stringify(text)} in ${rowType}.`);
}
