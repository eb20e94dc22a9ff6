import { fail, type WireError } from '../../../wire/server/errors';

/** Seconds after which a caller may try again: a database that restarts is back by then. */
const RETRY_AFTER = '2';

/** The refusal of a request that needs a database which cannot be asked. */
export function unavailable(cause: unknown): WireError {
  const error = fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });
  error.cause = cause;
  return error;
}

/** The `code` of a driver's error, if it has one. */
export function codeOf(error: unknown): string {
  // Not `instanceof`: a driver's errors need not be of this realm.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : '';
}
