/** A process of its own that copies a SQLite database, beside a service that writes to it: `<from> <to>`. */
import { sqliteDriver } from '../../plugins/objects/server/database/sqlite-driver';
import { errorText } from '../../core/start-error';

/** Milliseconds that a statement waits for a checkpoint. */
const PATIENCE = 60_000;

/**
 * `VACUUM INTO` reads one moment of the database, whatever is written meanwhile; SQLite's online backup would begin anew
 * with each write of another process.
 */
function copy(from: string, to: string): void {
  const Driver = sqliteDriver();
  const database = new Driver(from, { readonly: true, fileMustExist: true, timeout: PATIENCE });
  try {
    database.prepare('vacuum into ?').run(to);
  } finally {
    database.close();
  }
  const made = new Driver(to, { readonly: true, fileMustExist: true });
  try {
    const found: unknown = made.pragma('quick_check', { simple: true });
    if (found !== 'ok') throw new Error(`the database is damaged: ${String(found)}`);
  } finally {
    made.close();
  }
}

process.umask(0o077);
try {
  const [from = '', to = ''] = process.argv.slice(2);
  copy(from, to);
} catch (error) {
  process.stderr.write(errorText(error));
  process.exitCode = 1;
}
