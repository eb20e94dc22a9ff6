/** Failures of Strapi's own routes that it would call internal errors, and that are none. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context, Next } from 'koa';
import { ApiError } from '../../../core/errors';
import { DATABASE_AWAY } from '../../../core/log-line';
import { errorCode } from '../../../core/start-error';
import { databaseOf } from '../../objects/server';

/** Seconds. */
const RETRY_AFTER = '2';

/**
 * Answers 503 while the database is away, and 400 to what a check of Strapi's has thrown or no column holds, in the form
 * of Strapi's errors. It stands behind Strapi's own handler of errors, which sees none of these.
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
      } else if (isRefusedByZod(error) || database.isValueError(error)) {
        answer(ctx, 400, 'ValidationError', 'A value in the request is not right.');
      } else if (isRefusedByKoa(error)) {
        answer(ctx, error.status, error.name, error.message);
      } else throw error;
    }
  };

/** Some of Strapi's checks throw what its handler of errors does not know. */
const isRefusedByZod = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ZodError';

/** A refusal of Koa's, which says of itself that it may be shown. */
type Refusal = Error & { readonly status: number };

/** The refusals of Koa's own handlers, such as that of files: Strapi's would log each with its stack. */
function isRefusedByKoa(error: unknown): error is Refusal {
  if (!(error instanceof Error) || error instanceof errors.HttpError) return false;
  const { status, expose } = error as { readonly status?: unknown; readonly expose?: unknown };
  return expose === true && typeof status === 'number' && status < 500;
}

function answer(ctx: Context, status: number, name: string, message: string): void {
  ctx.status = status;
  ctx.body = { data: null, error: { status, name, message, details: {} } };
}
