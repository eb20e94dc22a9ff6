/** 404, 405, 414; the query; `OPTIONS`. */
import { fail, issue, malformed, type Issue } from '../errors';
import type { Answer, Exchange } from '../exchange';
import type { PathRouter } from '../router';
import { isForbiddenText } from '../text';

const MAX_URL = 8192;

/** Finds what answers, or answers `OPTIONS`. @throws WireError PATH_NOT_FOUND, METHOD_NOT_ALLOWED, URL_TOO_LONG */
export function route(exchange: Exchange, router: PathRouter): Answer | undefined {
  const match = router.find(exchange.path);
  if (!match) throw fail('PATH_NOT_FOUND', {});
  const allow = allowed([...match.methods.keys()]);
  if (exchange.method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
  const found = match.methods.get(exchange.method === 'HEAD' ? 'GET' : exchange.method);
  if (!found)
    throw fail('METHOD_NOT_ALLOWED', { method: exchange.method, allow }, { Allow: allow });
  if ((exchange.req.url ?? '').length > MAX_URL) throw fail('URL_TOO_LONG', { max: MAX_URL });
  exchange.route = found;
  exchange.params = match.params;
  if (exchange.search !== '') exchange.query = parseQuery(exchange.search);
  return undefined;
}

function allowed(methods: readonly string[]): string {
  const head = methods.includes('GET') ? ['HEAD'] : [];
  return [...methods, ...head, 'OPTIONS'].join(', ');
}

/**
 * The parameters by name.
 *
 * @throws WireError MALFORMED for one that is given twice, that is not UTF-8 behind its percent
 *   signs, or that holds a control character
 */
function parseQuery(search: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  const issues: Issue[] = [];
  for (const part of search.split('&').filter((text) => text !== '')) {
    const mark = part.indexOf('=');
    const name = decode(mark === -1 ? part : part.slice(0, mark));
    const value = decode(mark === -1 ? '' : part.slice(mark + 1));
    if (name === null || isForbiddenText(name))
      issues.push(issue('', 'FORMAT', { expected: 'text' }));
    else if (value === null || isForbiddenText(value))
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
