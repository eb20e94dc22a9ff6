/** Which errors of PostgreSQL, its driver and the pools mean that the database is unavailable. */
import { errorCode } from '../../../../core/start-error';

/**
 * Classes 08 (connection), 53 (resources) and 57P (operator intervention) of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html, and Node's codes for sockets.
 */
const AWAY = /^(08|53|57P|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOENT)/;

/**
 * undefined_table: a later release has given the table of searches another name (`versions/register.ts`), and this server will
 * have seen within a second that it is outdated.
 */
const UNKNOWN_TABLE = '42P01';

/** Where an error of the driver or of a pool is made: such as that of a connection that is not answered in time. */
const MADE_BY_DRIVER = /^\s+at [^\n]*\bnode_modules\/(?:pg|pg-pool|pg-protocol|tarn)\//;

/** Whether an error means that the database is unavailable. One of the driver without a code of the server does. */
export function isPostgresAway(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== 'unknown') return AWAY.test(code) || code === UNKNOWN_TABLE;
  if (typeof error !== 'object' || error === null) return false;
  const { name, message, stack } = error as Partial<Error>;
  if (name === 'KnexTimeoutError') return true;
  const frames = String(stack).slice(
    String(stack).indexOf(String(message)) + String(message).length,
  );
  return MADE_BY_DRIVER.test(frames.replace(/^\n/, ''));
}
