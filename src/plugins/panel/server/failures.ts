/** Failures of Strapi's own routes that it would call internal errors, and that are none. */
import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { ApiError } from '../../../core/errors';
import { DATABASE_AWAY } from '../../../core/log-line';
import { errorCode } from '../../../core/start-error';
import { databaseOf } from '../../objects/server';

/** Seconds. */
const RETRY_AFTER = '2';

/**
 * Answers 503 while the database is away, and 400 to a value that no column holds, in the form of Strapi's errors. It
 * stands behind Strapi's own handler of errors, which sees none of these.
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
        strapi.log.error('the database cannot be asked', { event: DATABASE_AWAY, reason });
        ctx.set('Retry-After', RETRY_AFTER);
        answer(ctx, 503, 'ServiceUnavailable', 'The service is not available at the moment.');
      } else if (database.isValueError(error)) {
        answer(ctx, 400, 'ValidationError', 'A value in the request is not right.');
      } else throw error;
    }
  };

function answer(ctx: Context, status: number, name: string, message: string): void {
  ctx.status = status;
  ctx.body = { data: null, error: { status, name, message, details: {} } };
}
