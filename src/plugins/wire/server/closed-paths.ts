/**
 * Paths that Strapi and its plugins would answer and that are closed: their own REST interface
 * knows none of our rules, and uploads have addresses of their own.
 */
import { posix } from 'node:path';

const CLOSED = /^\/(api|uploads|_health)(\/|$)/i;

/** The path of a request target as Strapi's router takes it: as it was sent, whatever its form. */
const rawPath = (target: string): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');

/** As the static file handler takes it: decoded, without dots and double slashes. Null for what cannot be decoded. */
function resolvedPath(path: string): string | null {
  try {
    return posix.normalize(`/${decodeURIComponent(path).replaceAll('\\', '/')}`);
  } catch {
    return null;
  }
}

/**
 * Whether nobody is answered here, whatever they ask: in any spelling by which one of Strapi's
 * handlers would still find it.
 *
 * @param target as the request line has it
 */
export function isClosed(target: string): boolean {
  const raw = rawPath(target);
  const resolved = resolvedPath(raw);
  return resolved === null || CLOSED.test(raw) || CLOSED.test(resolved);
}

/** Whether a path belongs to the pipeline: exact to the letter. */
export const isOurs = (path: string): boolean => path === '/api/v0' || path.startsWith('/api/v0/');
