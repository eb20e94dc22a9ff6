/** The metrics of a service, and the door to them: closed until the operator opens it. */
import type { Core } from '@strapi/strapi';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Checks } from '../../plugins/wire/server/health';
import type { Measures } from '../../plugins/wire/server/log';
import type { FrontPage } from '../../plugins/wire/server/front';
import type { Environment } from '../environment';
import { listen, type Listening } from '../http';
import { createGauges } from './gauges';
import { createMeasures } from './measures';

/** The path, on either port. */
export const PATH = '/metrics';

export interface Metrics {
  readonly measures: Measures;
  /** Answers a request for metrics, or refuses it. */
  readonly page: FrontPage;
  close(): void;
}

/** To be called where the operator has opened a door: nothing is counted otherwise. */
export function createMetrics(
  strapi: Core.Strapi,
  environment: Environment,
  checks: Checks,
): Metrics {
  const { token } = environment.metrics;
  const register = new Registry();
  collectDefaultMetrics({ register });
  const measures = createMeasures(register);
  const gauges = createGauges(register, strapi, { environment, checks });
  let underWay: Promise<string> | null = null;
  /** Those who ask at the same time get one answer. */
  const text = (): Promise<string> =>
    (underWay ??= gauges
      .refresh()
      .then(() => register.metrics())
      .finally(() => {
        underWay = null;
      }));
  return {
    measures,
    async page(req, res) {
      if (req.method !== 'GET' && req.method !== 'HEAD')
        return send(res, 405, 'method not allowed\n', { Allow: 'GET, HEAD' });
      if (token !== null && !hasToken(req, token))
        return send(res, 401, 'unauthorized\n', { 'WWW-Authenticate': 'Bearer' });
      send(res, 200, await text(), { 'Content-Type': register.contentType });
    },
    close: () => gauges.close(),
  };
}

/** Opens the port of its own, null without one. @throws StartError as `listen` */
export async function listenForMetrics(
  { metrics: { port }, host }: Pick<Environment, 'metrics' | 'host'>,
  page: FrontPage,
  report: (error: unknown) => void,
): Promise<Listening | null> {
  if (port === null) return null;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (req, res) => {
    const [path = '', search = ''] = (req.url ?? '').split('?');
    if (path !== PATH) return send(res, 404, 'not found\n');
    page(req, res, search).catch((error: unknown) => {
      report(error);
      res.destroy();
    });
  });
  server.maxConnections = 20;
  return listen(server, { host, port }, 'METRICS_PORT');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

function send(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  res.end(text);
}
