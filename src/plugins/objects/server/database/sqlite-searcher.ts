/**
 * A process that runs the statements of searches, one after the other: the driver cannot interrupt one, but a process can
 * be ended at any time. It only reads.
 */
import { outliveSignals } from '../../../../core/process-pool';
import { errorCode, errorText } from '../../../../core/start-error';
import { sqliteDriver } from './sqlite-driver';
import { MAX_RECENT, PreparedStatements, rowsOf } from './sqlite-prepared';
import type { SqlValue } from './sql';
import type { Row } from './work';

/** A statement, with its values. */
export interface SearchJob {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Its rows, or the code and message of the database's error. */
export type SearchAnswer =
  { readonly rows: readonly Row[] } | { readonly code: string; readonly message: string };

const Driver = sqliteDriver();
const [file = ''] = process.argv.slice(2);
const handle = new Driver(file, { readonly: true, fileMustExist: true });
handle.pragma('busy_timeout = 1000');
// KiB, of which many rows are looked at.
handle.pragma('cache_size = -32768');

const statements = new PreparedStatements(handle, MAX_RECENT);

outliveSignals();
process.on('message', ({ text, values }: SearchJob) => {
  process.send?.(answer(text, values));
});

function answer(text: string, values: readonly SqlValue[]): SearchAnswer {
  try {
    return { rows: rowsOf(statements.prepare(text), values) };
  } catch (error) {
    return { code: errorCode(error), message: errorText(error) };
  }
}
