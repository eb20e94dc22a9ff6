import { PackageError } from './fault';
import type { PackageFiles } from './package-files';
import { readRecords, recordFault, type TableFormat, type TableListeners } from './records';
import { TableRow } from './row';

/**
 * Streams the rows of a table, in the order of its files.
 *
 * @param required columns that the table must have
 * @throws PackageError when a file is missing or damaged, or lacks one of these columns
 */
export async function* readTable(
  files: PackageFiles,
  resource: TableFormat & { readonly name: string },
  required: readonly string[],
  listeners: TableListeners,
): AsyncGenerator<TableRow> {
  let columns = resource.columns === null ? null : indexOf(resource.columns);
  if (columns) checkColumns(columns, required, resource.name);
  for (const file of resource.paths) {
    const part = { file, missing: resource.missing };
    let first = resource.dialect.header;
    for await (const record of readRecords(files, resource, file, listeners)) {
      if (first && record.cells !== null) {
        first = false;
        const header = indexOf(record.cells);
        // If a table has several files, only the first one needs a header.
        if (columns === null || required.every((column) => header.has(column))) {
          checkColumns(header, required, file);
          columns = header;
          continue;
        }
      }
      if (record.cells === null) listeners.onFault(recordFault(file, record.line, record.reason));
      else if (columns === null || record.cells.length > columns.size) {
        listeners.onFault(recordFault(file, record.line, widthReason(record.cells, columns)));
      } else yield new TableRow(columns, record.cells, record.line, part);
    }
    if (columns === null) throw new PackageError(`${file} is empty; not even a header is in it.`);
  }
}

/** The index of each column; of two columns with the same name, the first is read. */
function indexOf(header: readonly string[]): Map<string, number> {
  const columns = new Map<string, number>();
  for (const [index, name] of header.entries()) {
    const column = name.trim();
    columns.set(columns.has(column) ? `${column}#${index}` : column, index);
  }
  return columns;
}

function checkColumns(
  columns: ReadonlyMap<string, number>,
  required: readonly string[],
  name: string,
): void {
  const absent = required.filter((column) => !columns.has(column));
  if (absent.length > 0) {
    throw new PackageError(
      `${name} lacks the column${absent.length > 1 ? 's' : ''} ${absent.join(', ')}.`,
    );
  }
}

function widthReason(
  cells: readonly string[],
  columns: ReadonlyMap<string, number> | null,
): string {
  return `has ${cells.length} values for ${columns?.size ?? 0} columns`;
}
