import type { Core } from '@strapi/strapi';
import type { ServerResponse } from 'node:http';
import { ApiError, type ErrorKey } from '../../../core/errors';
import { driverMessage } from '../../../core/driver-message';
import { DATABASE_AWAY, requestLine } from '../../../core/log-line';
import { writeLineSoon } from '../../../core/log-writer';
import { errorCode } from '../../../core/start-error';
import type { PipelineLog, RequestTracer } from './pipeline';
import type { ApiRequest } from './request';

/** Counts requests; nothing of a request but its route, status and duration. */
export interface Measures {
  request(request: Pick<ApiRequest, 'route' | 'startedAt' | 'res'>): void;
  refusal(key: ErrorKey): void;
  /** A request that Strapi answers: the panel's. */
  foreign(res: ServerResponse, startedAt: number): void;
}

const NOT_ALLOWED =
  'a page of an origin that is not allowed: name it in FRONTEND_URL or in the allowed origins of the site settings';

/** Writes one JSON line per request, without query, headers and body. */
export function createLog(
  strapi: Core.Strapi,
  measures: Measures | null,
  tracer: RequestTracer | null,
): PipelineLog {
  const { log } = strapi;
  const isWanted = (): boolean =>
    !log.silent && (log.levels[log.level] ?? 0) >= (log.levels['info'] ?? 0);
  return {
    // Not through the logger: its streams take longer than a small answer is computed in.
    request(request) {
      measures?.request(request);
      const { transactionId, method, path, res, startedAt, caller } = request;
      if (!isWanted()) return;
      const line = requestLine(
        {
          transactionId,
          method,
          path,
          status: res.statusCode,
          ms: Math.round((performance.now() - startedAt) * 100) / 100,
          caller: caller?.id ?? null,
          aborted: !res.writableFinished,
        },
        new Date(),
      );
      writeLineSoon(line);
    },
    refusal(key) {
      measures?.refusal(key);
      tracer?.refusal(key);
    },
    foreignOrigin({ transactionId }, origin) {
      const event = 'origin_not_allowed';
      strapi.log.warn(NOT_ALLOWED, { event, transactionId, origin });
    },
    failure({ transactionId }, error) {
      if (error instanceof ApiError && error.key === 'UNAVAILABLE') {
        const reason = errorCode(error.cause);
        strapi.log.error('the database is unavailable', { event: DATABASE_AWAY, reason });
      } else strapi.log.error('failure', { transactionId, reason: describeSafely(error) });
    },
  };
}

/** A thrown value may not be an error, and its properties may throw: the request's line is written anyway. */
export function describeSafely(error: unknown): string {
  try {
    return describe(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/**
 * The stack, with its causes. Of a database's error the code is given and the driver's message without values; of other
 * errors with a code the code alone, because their texts may contain values.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'an error that is none';
  const code = errorCode(error);
  const frames = String(error.stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  const said = driverMessage(error);
  const coded = `${error.name} ${code}${said === null ? '' : `: ${said}`}`;
  const first = code === 'unknown' ? `${error.name}: ${error.message}` : coded;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`;
  return `${[first, ...frames].join('\n')}${cause}`;
}
