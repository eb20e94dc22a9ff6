import { DEFAULT_DIALECT, type CsvDialect } from '../package/csv';
import { asList, asRecord, givenText, type JsonObject } from '../package/json';
import { PackageError } from '../package/fault';
import { pathInside } from '../package/package-files';
import { encodingOf, type TableFormat } from '../package/records';

/** The missing values of the table schemas of Camtrap DP 1.0. */
const MISSING_VALUES = ['', 'NA', 'NaN', 'nan'];

/** A table of the package with its name. */
export interface DataResource extends TableFormat {
  readonly name: string;
}

/**
 * Reads one resource of the descriptor (https://specs.frictionlessdata.io/tabular-data-resource/).
 *
 * @throws PackageError when its data is outside the package or not CSV
 */
export function readResource(resource: JsonObject, name: string): DataResource {
  const schema = asRecord(resource.schema);
  const dialect = dialectOf(resource.dialect, name);
  const nullSequence = asRecord(resource.dialect).nullSequence;
  const missing = Array.isArray(schema.missingValues)
    ? asList(schema.missingValues)
    : MISSING_VALUES;
  return {
    name,
    paths: pathsOf(resource, name),
    encoding: encodingOf(givenText(resource.encoding) ?? 'utf-8', name),
    dialect,
    columns: dialect.header ? null : columnsOf(schema, name),
    missing: new Set([...missing, nullSequence, ''].filter((value) => typeof value === 'string')),
  };
}

function pathsOf(resource: JsonObject, name: string): string[] {
  const paths = typeof resource.path === 'string' ? [resource.path] : asList(resource.path);
  if (paths.length === 0) throw new PackageError(`The resource ${name} has no path to its data.`);
  return paths.map((path) => checkedPath(path, name));
}

/** The specification forbids paths outside of the package: absolute paths, `..`, and URLs other than remote ones. */
function checkedPath(path: unknown, name: string): string {
  if (typeof path !== 'string' || path === '') {
    throw new PackageError(`A path of the resource ${name} is not a text.`);
  }
  return pathInside(path, name);
}

function dialectOf(given: unknown, name: string): CsvDialect {
  if (typeof given === 'string') {
    throw new PackageError(
      `The dialect of ${name} is in another file (${JSON.stringify(given)}); put it into datapackage.json.`,
    );
  }
  const dialect = asRecord(given);
  const mark = (key: string): string | null => {
    const value = dialect[key];
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string' && value.length === 1 && !/[\r\n]/.test(value)) return value;
    throw new PackageError(`dialect.${key} of ${name} is not a single character.`);
  };
  return {
    delimiter: mark('delimiter') ?? DEFAULT_DIALECT.delimiter,
    quote: mark('quoteChar') ?? DEFAULT_DIALECT.quote,
    escape: mark('escapeChar'),
    comment: mark('commentChar'),
    skipInitialSpace: dialect.skipInitialSpace === true,
    header: dialect.header !== false,
    terminator: null,
  };
}

function columnsOf(schema: JsonObject, name: string): string[] {
  const columns = asList(schema.fields).map((field) => givenText(asRecord(field).name) ?? '');
  if (columns.length > 0) return columns;
  throw new PackageError(
    `The files of ${name} have no header, and datapackage.json does not name their columns.`,
  );
}
