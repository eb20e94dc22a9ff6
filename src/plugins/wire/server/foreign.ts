/** Guards Strapi's own routes: they receive changes from this service's own pages only, as JSON. */
import type { IncomingMessage } from 'node:http';
import { fail, type ApiError } from '../../../core/errors';
import { hasBody, JSON_TYPE, mediaTypeOf, SAFE_METHODS } from './http';
import type { Settings } from './settings';

/** Strapi's router answers any other method with 501. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Why a request does not reach Strapi; null if it does. Strapi's sign-in accepts forms, which a browser sends for any
 * page without a preflight, and none of its routes checks the origin of a change (CSRF).
 */
export function foreignRefusal(req: IncomingMessage, settings: Settings): ApiError | null {
  const { method = 'GET' } = req;
  if (!METHODS.includes(method)) return notAllowed(method);
  if (SAFE_METHODS.has(method)) return null;
  if (!isFromHere(req, settings)) return fail('CROSS_SITE', {});
  return hasBody(req) && mediaTypeOf(req) !== JSON_TYPE
    ? fail('MEDIA_TYPE_NOT_ACCEPTED', { expected: JSON_TYPE })
    : null;
}

function notAllowed(method: string): ApiError {
  const allow = METHODS.join(', ');
  return fail('METHOD_NOT_ALLOWED', { method, allow }, { Allow: allow });
}

/**
 * Whether the headers name this origin, or no origin: a program that is not a browser sends none, and has no cookie.
 */
function isFromHere({ headers }: IncomingMessage, { ownOrigin }: Settings): boolean {
  const { origin, 'sec-fetch-site': site, cookie, host } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return cookie === undefined;
  return origin === ownOrigin || hostIn(origin) === host;
}

const hostIn = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;
