/** What Strapi's own routes are given: changes from this service's own pages, as JSON. */
import type { IncomingMessage } from 'node:http';
import { fail, type ApiError } from '../../../core/errors';
import type { Settings } from './settings';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const JSON_TYPE = 'application/json';

/**
 * Why Strapi may not have a request; null where it may. Its sign-in takes forms, and none of its routes asks where a
 * change comes from: any page could make a browser send one.
 */
export function foreignRefusal(req: IncomingMessage, settings: Settings): ApiError | null {
  if (SAFE.has(req.method ?? 'GET')) return null;
  if (!isFromHere(req, settings)) return fail('CROSS_SITE', {});
  const { headers } = req;
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  return hasBody && type.trim() !== JSON_TYPE
    ? fail('MEDIA_TYPE_NOT_ACCEPTED', { expected: JSON_TYPE })
    : null;
}

/** Whether a browser says that the page is of this origin; a program that is none says nothing, and has no cookie. */
function isFromHere({ headers }: IncomingMessage, { ownOrigin }: Settings): boolean {
  const { origin, 'sec-fetch-site': site, cookie, host } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return cookie === undefined;
  return origin === ownOrigin || hostIn(origin) === host;
}

const hostIn = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;
