import type { Core } from '@strapi/strapi';
import type { Exchange } from './exchange';
import type { Log } from './pipeline';

/** One JSON line per request, by the service's logger: no query, no header, no body. */
export function createLog(strapi: Core.Strapi): Log {
  return {
    request({ transactionId, method, path, res, startedAt, caller }) {
      strapi.log.info('request', {
        transactionId,
        method,
        path,
        status: res.statusCode,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        ...(caller?.id ? { caller: caller.id } : {}),
        ...(res.writableFinished ? {} : { aborted: true }),
      });
    },
    failure({ transactionId }: Exchange, error) {
      strapi.log.error('failure', { transactionId, reason: told(error) });
    },
  };
}

/** What is thrown need not be an error, nor let itself be read: that must not hide the request's end. */
function told(error: unknown): string {
  try {
    return reasonOf(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** The stack, with what caused it. The text of a database's error may hold values: its code alone is told. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an error that is none';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = String(error.stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  const told = code === undefined ? `${error.name}: ${error.message}` : `${error.name} ${code}`;
  const cause = error.cause === undefined ? '' : `\ncaused by ${reasonOf(error.cause)}`;
  return `${[told, ...frames].join('\n')}${cause}`;
}
