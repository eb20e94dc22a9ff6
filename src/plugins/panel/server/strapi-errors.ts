/** Converts our refusals to errors that Strapi answers with and the panel shows. */
import { errors } from '@strapi/utils';
import { ApiError } from '../../../core/errors';
import { textsAtInputs, textOf } from '../../../core/messages';

/** The names of a form's inputs by field on the wire. */
export type InputNames = Readonly<Record<string, string>>;

/** A refusal with a text for each of these inputs. */
export function atInputs(texts: Readonly<Record<string, string>>): Error {
  const faults = Object.entries(texts).map(([input, message]) => ({
    path: [input],
    message,
    name: 'ValidationError',
  }));
  return new errors.ValidationError(faults[0]?.message ?? '', { errors: faults });
}

/**
 * Strapi's error for a refusal. Other errors are returned unchanged.
 *
 * @param inputs the inputs of the form
 */
export function asStrapiError(error: unknown, inputs: InputNames = {}): unknown {
  if (!(error instanceof ApiError) || error.key === 'UNAVAILABLE') return error;
  if (error.invalid.length > 0) return atInputs(textsAtInputs(inputs, error.invalid));
  const text = textOf(error);
  // Not with its errors for 401 and 403: Strapi's router keeps only their status.
  return error.status === 429 ? new errors.RateLimitError(text) : new errors.ApplicationError(text);
}

/** Sets the headers of a refusal. */
export function setHeaders(ctx: { set(name: string, value: string): void }, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  for (const [name, value] of Object.entries(error.headers)) ctx.set(name, value);
}
