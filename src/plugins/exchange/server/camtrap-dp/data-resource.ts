import { posix } from 'node:path';
import { DEFAULT_DIALECT, type Dialect } from './csv';
import { asList, asRecord, asText, type JsonObject } from './json';
import { PackageError } from './fault';

/** The missing values of the table schemas of Camtrap DP 1.0. */
const MISSING_VALUES = ['', 'NA', 'NaN', 'nan'];

/** A table of the package and the format of its files. */
export interface Resource {
  readonly name: string;
  /** Paths relative to the descriptor; several files are read in this order. */
  readonly paths: readonly string[];
  /** A label of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
  readonly encoding: string;
  readonly dialect: Dialect;
  /** The columns, for files without a header. */
  readonly columns: readonly string[] | null;
  readonly missing: ReadonlySet<string>;
}

/**
 * Reads one resource of the descriptor (https://specs.frictionlessdata.io/tabular-data-resource/).
 *
 * @throws PackageError when its data is outside the package or not CSV
 */
export function readResource(resource: JsonObject, name: string): Resource {
  const schema = asRecord(resource.schema);
  const dialect = dialectOf(resource.dialect, name);
  const nullSequence = asRecord(resource.dialect).nullSequence;
  const missing = Array.isArray(schema.missingValues)
    ? asList(schema.missingValues)
    : MISSING_VALUES;
  return {
    name,
    paths: pathsOf(resource, name),
    encoding: encodingOf(resource, name),
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
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw new PackageError(
      `The data of ${name} is at ${JSON.stringify(path)}; only files inside the package are read.`,
    );
  }
  if (/^[/~]|\\|\0/.test(path) || path.split('/').includes('..')) {
    throw new PackageError(
      `The path ${JSON.stringify(path)} of ${name} is outside of the package.`,
    );
  }
  if (path.endsWith('.gz')) throw new PackageError(`${path} is compressed; unpack it first.`);
  return posix.normalize(path);
}

function encodingOf(resource: JsonObject, name: string): string {
  const label = asText(resource.encoding) ?? 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new PackageError(`The encoding ${JSON.stringify(label)} of ${name} is not known.`);
  }
}

function dialectOf(given: unknown, name: string): Dialect {
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
  };
}

function columnsOf(schema: JsonObject, name: string): string[] {
  const columns = asList(schema.fields).map((field) => asText(asRecord(field).name) ?? '');
  if (columns.length > 0) return columns;
  throw new PackageError(
    `The files of ${name} have no header, and datapackage.json does not name their columns.`,
  );
}
