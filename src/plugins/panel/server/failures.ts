/** Errors of Strapi's own routes that it would answer as internal errors. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context, Next } from 'koa';
import { ApiError } from '../../../core/errors';
import { DATABASE_AWAY } from '../../../core/log-line';
import { textOf } from '../../../core/messages';
import { errorCode } from '../../../core/start-error';
import { databaseOf } from '../../objects/server';
import { setHeaders } from './strapi-errors';

/** Seconds. */
const RETRY_AFTER = '2';

/**
 * Answers 503 while the database is unavailable or a search not ready, and 400 to validation errors of Strapi and values that no column can
 * store, in the format of Strapi's errors. It is added inside Strapi's own error handler, which does not receive these
 * errors then.
 */
export const answerFailures =
  (_: unknown, { strapi }: { strapi: Core.Strapi }) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const database = databaseOf(strapi);
      const isRefusal = error instanceof ApiError && error.key === 'UNAVAILABLE';
      if (isRefusal || database.isAway(error)) {
        const reason = errorCode(isRefusal ? error.cause : error);
        strapi.log.error('the database is unavailable', { event: DATABASE_AWAY, reason });
        ctx.set('Retry-After', RETRY_AFTER);
        answer(ctx, 503, 'ServiceUnavailable', 'The service is not available at the moment.');
      } else if (isNotReady(error)) {
        setHeaders(ctx, error);
        answer(ctx, error.status, 'ServiceUnavailable', textOf(error));
      } else if (isRefusedByZod(error) || database.isValueError(error)) {
        answer(ctx, 400, 'ValidationError', 'A value in the request is invalid.');
      } else if (isRefusedByKoa(error)) {
        answer(ctx, error.status, error.name, error.message);
      } else throw error;
    }
  };

/** What a page of the panel counts may be in a table that is being filled. */
const isNotReady = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.key === 'NOT_READY';

/** Some of Strapi's checks throw errors that its error handler does not know. */
const isRefusedByZod = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ZodError';

/** An error of Koa whose message may be shown. */
type Refusal = Error & { readonly status: number };

/** Errors of Koa's own handlers, such as the one for files: Strapi would log each with its stack. */
function isRefusedByKoa(error: unknown): error is Refusal {
  if (!(error instanceof Error) || error instanceof errors.HttpError) return false;
  const { status, expose } = error as { readonly status?: unknown; readonly expose?: unknown };
  return expose === true && typeof status === 'number' && status < 500;
}

function answer(ctx: Context, status: number, name: string, message: string): void {
  ctx.status = status;
  ctx.body = { data: null, error: { status, name, message, details: {} } };
}
