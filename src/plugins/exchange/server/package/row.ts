import type { Fault } from './fault';

interface Part {
  readonly file: string;
  /** The texts that mean "no value". */
  readonly missing: ReadonlySet<string>;
  /** The values of empty cells and of columns that are not in the file. */
  readonly defaults?: ReadonlyMap<string, string>;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/**
 * A row of a table, whose cells are read by column and type. An invalid cell reads as null and adds one of the
 * `faults`; so does a missing required value. A missing column has no values.
 */
export class Row {
  readonly faults: Fault[] = [];

  constructor(
    private readonly columns: ReadonlyMap<string, number>,
    private readonly cells: readonly string[],
    /** The line on which the row begins; the header is line 1. */
    readonly line: number,
    private readonly part: Part,
  ) {}

  /** The name of the file inside the package. */
  get file(): string {
    return this.part.file;
  }

  /** Trimmed and in Unicode's normal form C. */
  text(column: string): string | null {
    const index = this.columns.get(column);
    const cell = index === undefined ? '' : (this.cells[index] ?? '');
    const text = cell === '' ? '' : cell.trim().normalize('NFC');
    if (this.part.missing.has(text)) return this.part.defaults?.get(column) ?? null;
    if (text.includes('\uFFFD')) return this.refuse(column, 'is not in the encoding of its file');
    return text;
  }

  /** The same for a required value. */
  required(column: string): string {
    const text = this.text(column);
    if (text === null) this.refuse(column, 'is missing');
    return text ?? '';
  }

  number(column: string, { min = -Infinity, max = Infinity }: Range = {}): number | null {
    const text = this.text(column);
    if (text === null) return null;
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) {
      return this.refuse(column, 'is not a number');
    }
    const value = Number(text);
    if (value < min) return this.refuse(column, `is less than ${min}`);
    if (value > max) return this.refuse(column, `is more than ${max}`);
    return value;
  }

  integer(column: string, range: Range = {}): number | null {
    const value = this.number(column, range);
    return value === null || Number.isSafeInteger(value)
      ? value
      : this.refuse(column, 'is not a whole number');
  }

  oneOf<T extends string>(column: string, allowed: readonly T[]): T | null {
    const text = this.text(column);
    if (text === null) return null;
    const value = allowed.find((candidate) => candidate === text);
    return value ?? this.refuse(column, `is not one of ${allowed.join(', ')}`);
  }

  /** A list of values, separated by `|`. */
  list(column: string): string[] {
    const text = this.text(column);
    if (text === null) return [];
    return text.split('|').flatMap((value) => value.trim() || []);
  }

  /** Adds the fault of an invalid cell, unless it has one already. */
  refuse(column: string, reason: string): null {
    if (this.faults.some((fault) => fault.field === column)) return null;
    const index = this.columns.get(column);
    const value = index === undefined ? '' : (this.cells[index] ?? '');
    this.faults.push({ file: this.file, line: this.line, field: column, reason, value });
    return null;
  }
}
