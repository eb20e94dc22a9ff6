import type { PackageFiles } from '../package/package-files';
import { readRecords, recordFault, type TableListeners } from '../package/records';
import { TableRow } from '../package/row';
import type { ArchiveTable } from './meta';

/** There are no further ones than those that every table has. */
const MISSING: ReadonlySet<string> = new Set();

/**
 * Streams the rows of a table, whose columns are named by their terms.
 *
 * @param above the row of another table that a row belongs to
 * @throws PackageError when a file is missing or damaged
 */
export async function* readRows(
  files: PackageFiles,
  table: ArchiveTable,
  listeners: TableListeners,
  above?: (cells: readonly string[]) => TableRow | null,
): AsyncGenerator<TableRow> {
  const { columns, defaults } = table;
  const width = Math.max(-1, ...columns.values()) + 1;
  for (const file of table.paths) {
    const part = { file, missing: MISSING, defaults };
    let header = table.headerLines;
    for await (const record of readRecords(files, table, file, listeners)) {
      if (header > 0) header -= 1;
      else if (record.cells === null)
        listeners.onFault(recordFault(file, record.line, record.reason));
      else if (record.cells.length < Math.min(2, width)) {
        const reason = `has ${record.cells.length} values for ${width} columns`;
        listeners.onFault(recordFault(file, record.line, reason));
      } else if (!isHeader(record.cells, columns, record.line))
        yield new TableRow(columns, record.cells, record.line, part, above?.(record.cells) ?? null);
    }
  }
}

/** Whether the first line of a file names its columns, although the descriptor does not say so. */
function isHeader(
  cells: readonly string[],
  columns: ReadonlyMap<string, number>,
  line: number,
): boolean {
  if (line > 1) return false;
  const terms = [...columns].filter(([term]) => !term.startsWith('@'));
  return terms.length > 1 && terms.every(([term, index]) => cells[index]?.trim() === term);
}

/** The first row of a table; null without one. */
export async function firstRow(files: PackageFiles, table: ArchiveTable): Promise<TableRow | null> {
  for await (const row of readRows(files, table, { onFault: () => undefined })) return row;
  return null;
}
