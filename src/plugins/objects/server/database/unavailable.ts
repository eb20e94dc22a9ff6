import { fail, type ApiError } from '../../../../core/errors';

/** Seconds after which a caller may try again: a database that restarts is back by then. */
const RETRY_AFTER = '2';

/** The refusal of a request that needs a database which cannot be asked. */
export function unavailable(cause: unknown): ApiError {
  const error = fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });
  error.cause = cause;
  return error;
}
