import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { errorCode, StartError } from '../../../../core/start-error';
import type { Fault } from '../package/fault';

const COLUMNS = ['file', 'line', 'field', 'reason', 'value'] as const;

/** Longer values are cut: the report names their place in the package. */
const MAX_VALUE_LENGTH = 500;

/** The default path of the report; the time makes it unique. */
export function defaultReportFile(dataDir: string, packagePath: string, now: Date): string {
  const path = resolve(packagePath);
  const last = basename(path) === 'datapackage.json' ? basename(dirname(path)) : basename(path);
  const name = basename(last, extname(last)).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'package';
  const time = now.toISOString().slice(0, 19).replaceAll(':', '-');
  return join(dataDir, 'import-reports', `${time}Z-${name}.csv`);
}

/** Whether the report is JSON, by the name of its file. */
const isJson = (path: string): boolean => extname(path).toLowerCase() === '.json';

/**
 * The report of all faults, as CSV with the columns file, line, field, reason, value; in a file `.json` also with the
 * summary, as `{summary, faults}`. It is written during the import,
 * so that it exists even if the import fails, and readable by its owner only, because it may contain protected values.
 */
export class Report {
  private descriptor: number | null = null;
  private isFirst = true;
  /**
   * @param always creates the file at once; otherwise the first fault creates it
   * @throws StartError when the file cannot be created
   */
  constructor(
    private readonly path: string,
    always: boolean,
  ) {
    if (always) this.open();
  }

  add(fault: Fault): void {
    const descriptor = this.descriptor ?? this.open();
    const text = isJson(this.path)
      ? `${this.isFirst ? '' : ','}\n${JSON.stringify(cut(fault))}`
      : lineOf(fault);
    writeSync(descriptor, text);
    this.isFirst = false;
  }

  /** Ends a report in JSON with the summary. */
  finish(summary: object): void {
    if (this.descriptor !== null && isJson(this.path))
      writeSync(this.descriptor, `\n],"summary":${JSON.stringify(summary)}}\n`);
  }

  /** Null without a file. */
  get file(): string | null {
    return this.descriptor === null ? null : this.path;
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor);
  }

  private open(): number {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.descriptor = openSync(this.path, 'w', 0o600);
      writeSync(this.descriptor, isJson(this.path) ? '{"faults":[' : `${COLUMNS.join(',')}\r\n`);
      return this.descriptor;
    } catch (error) {
      throw new StartError(`The report ${this.path} cannot be written (${errorCode(error)}).`);
    }
  }
}

const cut = (fault: Fault): Fault => ({ ...fault, value: shortened(fault.value) });

const shortened = (text: string): string =>
  text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;

function lineOf(fault: Fault): string {
  const cells = COLUMNS.map((column) => cellOf(fault[column]));
  return `${cells.join(',')}\r\n`;
}

/** RFC 4180, with an apostrophe before text that a spreadsheet would evaluate as a formula. */
function cellOf(value: string | number | null): string {
  const whole = String(value ?? '');
  const text = shortened(whole);
  const isNumber = /^[+-]?\d+(?:\.\d+)?$/.test(text);
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
