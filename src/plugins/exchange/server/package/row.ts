import { acceptText } from '../../../../core/text';
import type { Fault } from './fault';
import { isMissing } from './missing';

interface Part {
  readonly file: string;
  /** The texts that mean "no value" in this table, besides those that do so everywhere. */
  readonly missing: ReadonlySet<string>;
  /** The values of empty cells and of columns that are not in the file. */
  readonly defaults?: ReadonlyMap<string, string>;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Why a text is refused that the API would refuse. */
export const MALFORMED = 'has control characters, or more than 30 combining marks in a row';

/** What stands for bytes that are not in the encoding of a file, and for characters that no text may have. */
const REPLACED = '\uFFFD';

const NOT_DECODED = 'is not in the encoding of its file';

/** What no text of the service may contain (`isMalformedText`). */
const CONTROL = /[\p{Cc}\p{Cs}]/gu;

/**
 * A row of a table, whose cells are read by column and type. An invalid cell reads as null and adds one of the
 * `faults`; so does a missing required value. A missing column has no values. What has not been read, or was refused,
 * is the `rest`.
 */
export class TableRow {
  readonly faults: Fault[] = [];
  private readonly taken = new Set<string>();

  /** @param above the row that this one belongs to, which has the values that this one lacks */
  constructor(
    private readonly columns: ReadonlyMap<string, number>,
    private readonly cells: readonly string[],
    /** The line on which the row begins; the header is line 1. */
    readonly line: number,
    private readonly part: Part,
    private readonly above: TableRow | null = null,
  ) {}

  /** The name of the file inside the package. */
  get file(): string {
    return this.part.file;
  }

  /** Its cells. */
  get all(): readonly string[] {
    return this.cells;
  }

  /** Trimmed and in Unicode's normal form C. */
  text(column: string): string | null {
    if (!this.isThere(column)) return null;
    const own = this.accepted(column);
    this.taken.add(column);
    if (own === null) return this.refuse(column, MALFORMED);
    const text = this.given(column, own);
    if (text === null) return null;
    if (text.includes(REPLACED)) return this.refuse(column, NOT_DECODED);
    return text;
  }

  /** The same text unchecked, which stays part of the rest. */
  peek(column: string): string | null {
    return this.isThere(column) ? this.given(column, this.raw(column)) : null;
  }

  /** Whether the table has the column, or another value for it: of all terms that are asked for, most tables have few. */
  private isThere(column: string): boolean {
    return this.columns.has(column) || this.isElsewhere(column);
  }

  /** Whether the file or a row above may have a value of the column. */
  private isElsewhere(column: string): boolean {
    return this.above !== null || this.part.defaults?.has(column) === true;
  }

  /** The text of a cell, if it says something, else that of the file or of the row above. */
  private given(column: string, text: string): string | null {
    if (!isMissing(text) && !this.part.missing.has(text)) return text;
    return this.part.defaults?.get(column) ?? this.above?.peek(column) ?? null;
  }

  /** The text of the cell, whatever it means; empty without one, and where it is malformed. */
  raw(column: string): string {
    return this.accepted(column) ?? '';
  }

  /** The same, null where it is malformed: it is checked before it is normalized. */
  private accepted(column: string): string | null {
    const index = this.columns.get(column);
    const cell = index === undefined ? '' : (this.cells[index] ?? '');
    return cell === '' ? '' : acceptText(cell);
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

  /** Adds the fault of an invalid cell, unless it has one already. Its value is part of the rest. */
  refuse(column: string, reason: string): null {
    this.release(column);
    return this.tell(column, reason);
  }

  /** Adds a fault of a cell whose value is read all the same, unless it has one already. */
  tell(column: string, reason: string): null {
    if (this.faults.some((fault) => fault.field === column)) return null;
    const index = this.columns.get(column);
    const value = index === undefined ? (this.peek(column) ?? '') : (this.cells[index] ?? '');
    this.faults.push({ file: this.file, line: this.line, field: column, reason, value });
    return null;
  }

  /** Makes the values of columns that were read part of the rest. */
  release(...columns: readonly string[]): void {
    for (const column of columns) this.taken.delete(column);
  }

  /** Takes columns whose values are in others, or say nothing of the record. */
  take(...columns: readonly string[]): void {
    for (const column of columns) this.taken.add(column);
  }

  /**
   * The texts of the columns that were not read, or refused, by column. A malformed one is told; a character that no
   * text may have is U+FFFD in it, and one with too many combining marks is left out.
   */
  rest(): Record<string, string> {
    const rest: Record<string, string> = {};
    for (const [column, text] of Object.entries(this.above?.rest() ?? {}))
      if (!this.taken.has(column)) rest[column] = text;
    for (const [column, index] of this.columns)
      // Most cells are empty, and most of those have no other value.
      if (this.cells[index] || this.isElsewhere(column)) this.keep(rest, column);
    for (const column of this.part.defaults?.keys() ?? []) this.keep(rest, column);
    return rest;
  }

  private keep(rest: Record<string, string>, column: string): void {
    if (this.taken.has(column) || isUnkept(column)) return;
    const text = this.readable(column);
    if (text !== null) rest[column] = text;
  }

  private readable(column: string): string | null {
    const own = this.accepted(column);
    if (own?.includes(REPLACED)) this.tell(column, NOT_DECODED);
    if (own !== null) return this.given(column, own);
    this.tell(column, MALFORMED);
    const cell = this.cells[this.columns.get(column) ?? -1] ?? '';
    return acceptText(cell.replace(CONTROL, replaced));
  }
}

/** Whether a column has no term under which its texts could be kept. */
const isUnkept = (column: string): boolean =>
  column === '' || column.startsWith('@') || column.includes('#');

/** Tabs and ends of lines stay. */
const replaced = (character: string): string => (/[\t\n\r]/.test(character) ? character : REPLACED);
