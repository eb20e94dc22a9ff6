/**
 * Callers with a cookie or bearer that belongs to no session: they believe that they are logged in, and must never act
 * anonymously (contract, section 9).
 */
import { ApiError, fail } from '../../../../core/errors';
import { SAFE_METHODS } from '../http';
import type { ApiRequest } from '../request';
import type { SessionSecrets } from './origin';

/**
 * Refuses a call with credentials of no session. Reads with such a cookie alone go on, as of a visitor who comes back
 * after the session's end.
 *
 * @throws ApiError SESSION_ENDED
 */
export function refuseEnded(request: ApiRequest, { cookie, bearer }: SessionSecrets): void {
  if (cookie === null && bearer === null) return;
  if (request.route?.config.operation.isForEndedSessions) return;
  if (bearer !== null || !SAFE_METHODS.has(request.method)) throw fail('SESSION_ENDED', {});
  request.hasEndedSession = true;
}

/**
 * Runs the check for a login, and tells a caller whose session has ended so in place of asking for a login.
 *
 * @throws ApiError SESSION_ENDED, or what the check throws
 */
export function revealEnd(request: ApiRequest, admit: (request: ApiRequest) => void): void {
  try {
    admit(request);
  } catch (error) {
    const isEnd = error instanceof ApiError && error.status === 401 && request.hasEndedSession;
    throw isEnd ? fail('SESSION_ENDED', {}) : error;
  }
}
