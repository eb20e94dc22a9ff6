/**
 * Paths of Strapi and its plugins that are closed: their REST interface enforces none of our rules, and uploads are
 * served elsewhere.
 */
import { posix } from 'node:path';

const CLOSED = /^\/(api|uploads|_health)(\/|$)/i;

/** The path of a request target as Strapi's router reads it: as it was sent, in the absolute form too. */
const rawPath = (target: string): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');

/**
 * The path as the static file handler reads it: decoded, without dots and double slashes. Null if it cannot be decoded.
 */
function resolvedPath(path: string): string | null {
  try {
    return posix.normalize(`/${decodeURIComponent(path).replaceAll('\\', '/')}`);
  } catch {
    return null;
  }
}

/**
 * Whether a path is closed to everybody, in any spelling that one of Strapi's handlers would accept.
 *
 * @param target the target in the request line
 */
export function isClosed(target: string): boolean {
  const raw = rawPath(target);
  const resolved = resolvedPath(raw);
  return resolved === null || CLOSED.test(raw) || CLOSED.test(resolved);
}

/** Whether a path belongs to the pipeline (case-sensitive). */
export const isOurs = (path: string): boolean => path === '/api/v0' || path.startsWith('/api/v0/');
