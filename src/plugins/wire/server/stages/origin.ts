/** Whether a request comes from a site that may send it, and with one proof of who asks. */
import { fail, issue, malformed } from '../../../../core/errors';
import { SAFE_METHODS } from '../http';
import type { ApiRequest } from '../request';
import type { Settings } from '../settings';

/** What a request shows of who asks. */
export interface Credentials {
  readonly cookie: string | null;
  readonly bearer: string | null;
}

/** The session's secret in cookie and `Authorization`. */
export function credentialsOf({ req }: ApiRequest, { cookieName }: Settings): Credentials {
  const [, bearer = null] = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const pair = pairs.find((candidate) => candidate.startsWith(`${cookieName}=`));
  return { cookie: pair?.slice(cookieName.length + 1) ?? null, bearer };
}

/**
 * Refuses what a page of a stranger's could make a browser send (RFC 6265bis leaves SameSite=Lax
 * with gaps): a change that carries the cookie must name an allowed origin, or come from this one. A
 * guarded call, such as login, must not come from a stranger's page even without.
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
  // A program without cookies, which says nothing of where it comes from, is no browser.
  if (cookie === null && from === undefined && (site === undefined || site === 'none')) return;
  const isFriend = from !== undefined && settings.allowsOrigin(from);
  if (!isFriend && site !== 'same-origin') throw fail('CROSS_SITE', {});
}
