/** Refusals of ours as Strapi answers them, and the panel shows them. */
import { errors } from '@strapi/utils';
import { ApiError } from '../../../core/errors';
import { faultsAt, textOf } from '../../../core/messages';

/** The inputs of a form by the fields of the wire. */
export type Inputs = Readonly<Record<string, string>>;

/** A refusal with a text at each of these inputs. */
export function atInputs(texts: Readonly<Record<string, string>>): Error {
  const faults = Object.entries(texts).map(([input, message]) => ({
    path: [input],
    message,
    name: 'ValidationError',
  }));
  return new errors.ValidationError(faults[0]?.message ?? '', { errors: faults });
}

/**
 * The error for Strapi to answer. What is no refusal of ours passes unchanged.
 *
 * @param inputs of the form that was sent
 */
export function asStrapiError(error: unknown, inputs: Inputs = {}): unknown {
  if (!(error instanceof ApiError) || error.key === 'UNAVAILABLE') return error;
  if (error.invalid.length > 0) return atInputs(faultsAt(inputs, error.invalid));
  const text = textOf(error);
  // Not by its 401 and 403: of those Strapi's router keeps the status alone.
  return error.status === 429 ? new errors.RateLimitError(text) : new errors.ApplicationError(text);
}

/** Sets the headers that belong to a refusal. */
export function setHeaders(ctx: { set(name: string, value: string): void }, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  for (const [name, value] of Object.entries(error.headers)) ctx.set(name, value);
}
