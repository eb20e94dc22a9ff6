import type { ApiError, FieldErrorKey, Issue } from '../../../../core/errors';
import { messageText } from '../../../../core/messages';

type Args = Issue['args'];

/** The predicate of a sentence for each issue of a field. */
const REASONS: Record<FieldErrorKey, (args: Args) => string> = {
  REQUIRED: () => 'is missing',
  UNKNOWN: () => 'is a field that the service does not know',
  NOT_WRITABLE: () => 'cannot be written',
  NOT_PERMITTED: () => 'may not be written',
  TYPE: ({ expected }) => `is not ${token('EXPECTED', expected)}`,
  TOO_SMALL: ({ min }) => `is less than ${say(min)}`,
  TOO_LARGE: ({ max }) => `is more than ${say(max)}`,
  TOO_SHORT: ({ min }) => `is shorter than ${say(min)}`,
  TOO_LONG: ({ max }) => `is longer than ${say(max)}`,
  NOT_ONE_OF: ({ allowed }) => `is not one of ${say(allowed)}`,
  FORMAT: ({ expected }) => `is not ${token('EXPECTED', expected)}`,
  NO_SUCH: ({ type }) => `names no ${token('TYPE', type)} that exists`,
  IN_USE: () => 'is still in use',
  TAKEN: () => 'is taken by another record',
  PASSWORD_WRONG: () => 'is wrong',
  CONFLICT: (args) => `does not agree with ${say(args.with)}`,
};

/** The reasons of a refusal by path of the field; an empty path for the whole record. */
export function refusals(error: ApiError): { readonly path: string; readonly reason: string }[] {
  if (error.invalid.length === 0) return [{ path: '', reason: `is refused (${error.key})` }];
  return error.invalid.map(({ path, key, args }) => ({ path, reason: REASONS[key](args) }));
}

/** A field's value for the report. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Whether a record was refused because it exists already, with the same key within its source. */
export function isTaken(error: ApiError, path: string): boolean {
  return error.invalid.some((issue) => issue.key === 'TAKEN' && issue.path === path);
}

/** The English text of a token. */
const token = (group: 'EXPECTED' | 'TYPE', name: unknown): string =>
  messageText(`${group}_${String(name)}`, {});

function say(value: unknown): string {
  if (Array.isArray(value)) return value.map(say).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
