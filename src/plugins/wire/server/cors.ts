/** CORS headers (https://fetch.spec.whatwg.org/#http-cors-protocol). */
import type { ApiRequest } from './request';
import type { Settings } from './settings';

const EXPOSED =
  'ETag, X-Transaction-Id, X-Session, Retry-After, Location, Content-Disposition, Content-Length';
const ACCEPTED_HEADERS =
  'Authorization, Content-Type, If-Match, If-None-Match, X-Claim, X-Requested-With, X-Transaction-Id';
/** Seconds; Chromium caches a preflight for this long at most. */
const MAX_AGE = '7200';

/** The CORS headers of an answer: none for an origin that is not allowed. */
export function corsHeaders(
  { req, method }: ApiRequest,
  settings: Settings,
): Record<string, string> {
  const { origin } = req.headers;
  if (origin === undefined || !settings.allowsOrigin(origin)) return {};
  const headers = {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED,
  };
  if (method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined)
    return headers;
  return {
    ...headers,
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': ACCEPTED_HEADERS,
    'Access-Control-Max-Age': MAX_AGE,
  };
}
