/** Which errors of SQLite mean that the database is unavailable. */
import { errorCode } from '../../../../core/start-error';
import { unavailable } from './database';

/** Result codes of a file that is unavailable, as opposed to a wrong statement. */
const AWAY = /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY|NOMEM|PROTOCOL|NOTADB|CORRUPT)/;

export const isSqliteAway = (error: unknown): boolean => AWAY.test(errorCode(error));

/** The error to throw: an unavailable database becomes an `ApiError`. */
export function readable(error: unknown): Error {
  if (isSqliteAway(error)) return unavailable(error);
  return error instanceof Error ? error : new Error(String(error));
}
