/** Checks that a request comes from an allowed origin and has one credential. */
import { fail, issue, malformed } from '../../../../core/errors';
import { SAFE_METHODS } from '../http';
import type { ApiRequest } from '../request';
import type { Settings } from '../settings';

/** The credentials of a request. */
export interface SessionSecrets {
  readonly cookie: string | null;
  readonly bearer: string | null;
}

const NONE: SessionSecrets = { cookie: null, bearer: null };

/** Reads the session's secret from cookie and `Authorization`. */
export function credentialsOf({ req }: ApiRequest, { cookieName }: Settings): SessionSecrets {
  if (req.headers.authorization === undefined && req.headers.cookie === undefined) return NONE;
  const shown = /^Bearer(?: +(.*))?$/i.exec(req.headers.authorization ?? '');
  // One without a secret is that of a program that believes to have one.
  const bearer = shown ? (shown[1] ?? '').trim() : null;
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const pair = pairs.find((candidate) => candidate.startsWith(`${cookieName}=`));
  return { cookie: pair?.slice(cookieName.length + 1) ?? null, bearer };
}

/**
 * Refuses cross-site requests (SameSite=Lax has gaps, see RFC 6265bis): a change with the cookie must come from this or
 * an allowed origin. A guarded call, such as login, must do so even without the cookie.
 *
 * @throws ApiError MALFORMED, CROSS_SITE
 */
export function origin(request: ApiRequest, settings: Settings): void {
  const { cookie, bearer } = credentialsOf(request, settings);
  if (cookie !== null && bearer !== null && cookie !== bearer) {
    throw malformed([issue('authorization', 'CONFLICT', { with: 'cookie' })]);
  }
  if (SAFE_METHODS.has(request.method)) return;
  const isGuarded = request.route?.config.operation.isGuarded === true;
  if (cookie === null && (bearer !== null || !isGuarded)) return;
  const { origin: from, 'sec-fetch-site': site } = request.req.headers;
  // A program without a cookie and without an origin is not a browser.
  if (cookie === null && from === undefined && (site === undefined || site === 'none')) return;
  const isAllowed = from !== undefined && settings.allowsOrigin(from);
  if (!isAllowed && site !== 'same-origin') throw fail('CROSS_SITE', {});
}
