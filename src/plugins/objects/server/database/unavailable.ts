import { fail, type ApiError } from '../../../../core/errors';

/** Seconds until a retry; a database restarts within this time. */
const RETRY_AFTER = '2';

/** The refusal of a request while the database is unavailable. */
export function unavailable(cause: unknown): ApiError {
  const error = fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });
  error.cause = cause;
  return error;
}
