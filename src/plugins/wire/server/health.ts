/** Health checks for the operator: liveness and readiness. They answer without the envelope. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether a part of the service answers. */
export type Check = () => Promise<boolean> | boolean;

export interface Checks {
  readonly database: Check;
  readonly storage: Check;
  /** Whether the photographs that were looked for are there. A service without them is degraded, and ready. */
  readonly photographs: Check;
  /** Whether the service is going down. */
  readonly draining: () => boolean;
  /** Whether this release may use the database: false after a later one has migrated it. */
  readonly release: () => boolean;
}

/** @returns false for any other path */
export async function answerHealth(
  { method }: IncomingMessage,
  res: ServerResponse,
  path: string,
  checks: Checks,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD')
    return send(res, 405, { status: 'method not allowed' });
  if (path === '/_health') return send(res, 200, { status: 'ok' });
  const { isReady, ...held } = await checked(checks);
  const status = isReady ? (held.photographs ? 'ok' : 'degraded') : 'unavailable';
  send(res, isReady ? 200 : 503, { status, checks: held });
}

/** What the checks say now: one that fails does not hold. */
export async function checked(checks: Checks) {
  const [database, storage, photographs] = await Promise.all([
    holds(checks.database),
    holds(checks.storage),
    holds(checks.photographs),
  ]);
  const draining = checks.draining();
  const release = checks.release();
  return {
    isReady: database && storage && !draining && release,
    database,
    storage,
    photographs,
    draining,
    release,
  };
}

/** Whether a path is that of a health check. */
export const isHealth = (path: string): boolean => path === '/_health' || path === '/_health/ready';

async function holds(check: Check): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}

function send(res: ServerResponse, status: number, content: object): void {
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  });
  res.end(JSON.stringify(content));
}
