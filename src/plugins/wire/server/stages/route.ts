/** 404, 405, 414; the query; `OPTIONS`. */
import { fail, issue, malformed, type Issue } from '../../../../core/errors';
import type { Answer, ApiRequest } from '../request';
import type { PathRouter } from '../router';
import { isMalformedText } from '../../../../core/text';

const MAX_URL = 8192;

/** Finds the route, or answers `OPTIONS`. @throws ApiError PATH_NOT_FOUND, METHOD_NOT_ALLOWED, URL_TOO_LONG */
export function route(request: ApiRequest, router: PathRouter): Answer | undefined {
  const match = router.find(request.path);
  if (!match) throw fail('PATH_NOT_FOUND', {});
  const found = match.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
  if (!found) return withoutRoute(request, allowed([...match.methods.keys()]));
  if ((request.req.url ?? '').length > MAX_URL) throw fail('URL_TOO_LONG', { max: MAX_URL });
  request.route = found;
  request.params = match.params;
  if (request.search !== '') request.query = parseQuery(request.search);
  return undefined;
}

/** The answer to `OPTIONS`, which no route declares. @throws ApiError METHOD_NOT_ALLOWED */
function withoutRoute({ method }: ApiRequest, allow: string): Answer {
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
  throw fail('METHOD_NOT_ALLOWED', { method, allow }, { Allow: allow });
}

function allowed(methods: readonly string[]): string {
  const head = methods.includes('GET') ? ['HEAD'] : [];
  return [...methods, ...head, 'OPTIONS'].join(', ');
}

/**
 * The parameters by name.
 *
 * @throws ApiError MALFORMED for a parameter that is given twice, does not decode to UTF-8, or contains a control
 *   character
 */
function parseQuery(search: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  const issues: Issue[] = [];
  for (const part of search.split('&').filter((text) => text !== '')) {
    const mark = part.indexOf('=');
    const name = decode(mark === -1 ? part : part.slice(0, mark));
    const value = decode(mark === -1 ? '' : part.slice(mark + 1));
    if (name === null || isMalformedText(name))
      issues.push(issue('', 'FORMAT', { expected: 'text' }));
    else if (value === null || isMalformedText(value))
      issues.push(issue(name, 'FORMAT', { expected: 'text' }));
    else if (query.has(name)) issues.push(issue(name, 'CONFLICT', { with: name }));
    else query.set(name, value);
  }
  if (issues.length > 0) throw malformed(issues);
  return query;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
