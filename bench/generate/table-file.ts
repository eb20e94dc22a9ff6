/** A CSV file that is written row by row. */
import { closeSync, openSync, writeSync } from 'node:fs';

/** Characters that are kept before they are written. */
const CHUNK = 1 << 20;

/** What a cell may hold; null is an empty one. */
export type Cell = string | number | null;

/** The columns are those of the first line; a row gives the ones it has. */
export class TableFile<Column extends string> {
  private readonly file: number;
  private waiting: string;

  constructor(
    path: string,
    private readonly columns: readonly Column[],
  ) {
    this.file = openSync(path, 'w');
    this.waiting = `${columns.join(',')}\n`;
  }

  add(row: Readonly<Partial<Record<Column, Cell>>>): void {
    let line = '';
    for (const column of this.columns) {
      const cell = row[column] ?? null;
      line += cell === null ? ',' : `${typeof cell === 'string' ? quoted(cell) : cell},`;
    }
    this.waiting += `${line.slice(0, -1)}\n`;
    if (this.waiting.length >= CHUNK) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    writeSync(this.file, this.waiting);
    this.waiting = '';
  }
}

/** RFC 4180. */
const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
