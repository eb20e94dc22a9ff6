/** One value of a request: its length is checked first, then it is normalized and checked. */
import * as yup from 'yup';
import { issue, type Issue } from '../../../../core/errors';
import { isMalformedText, isOversized } from '../../../../core/text';
import type { Field } from '../declare/completed';
import { definitionOf } from '../kinds';
import type { CheckContext } from '../kinds/kind';
import { fault, issuesOf } from '../kinds/yup-issues';

/**
 * The texts in a value that may not be processed: that are malformed or too long. To be called before anything else: the
 * time of normalization and formats may grow faster than the length of a text.
 */
export function unsafeTexts(field: Field, value: unknown): readonly Issue[] {
  const max = definitionOf(field.kind).longest(field);
  if (isSafe(value, max)) return NONE;
  const found: Issue[] = [];
  findUnsafe(value, field.name, max, found);
  return found;
}

const NONE: readonly Issue[] = [];

/** Whether `findUnsafe` would find nothing: most values are so, and need no paths. */
function isSafe(value: unknown, max: number | null): boolean {
  if (typeof value === 'string') return faultOfText(value, '', max) === null;
  if (typeof value !== 'object' || value === null) return true;
  for (const name of Object.keys(value))
    if (isMalformedText(name) || !isSafe((value as Record<string, unknown>)[name], max))
      return false;
  return true;
}

function faultOfText(text: string, path: string, max: number | null): Issue | null {
  if (max !== null && isOversized(text, max)) return issue(path, 'TOO_LONG', { max });
  return isMalformedText(text) ? issue(path, 'FORMAT', { expected: 'text' }) : null;
}

/** @param max null where the kind bounds no text: those of JSON, by the size of the body */
function findUnsafe(value: unknown, path: string, max: number | null, found: Issue[]): void {
  if (typeof value === 'string') {
    const wrong = faultOfText(value, path, max);
    if (wrong) found.push(wrong);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) {
      if (isMalformedText(name)) found.push(issue(path, 'FORMAT', { expected: 'text' }));
      else findUnsafe(entry, `${path}.${name}`, max, found);
    }
}

/**
 * The normalized value. Of a list that is too long, only one item beyond the limit is kept, which is enough for the
 * check to refuse it.
 */
export function normalize(field: Field, value: unknown): unknown {
  const { maxItems } = field;
  const normalized = definitionOf(field.kind).normalize(value, field);
  return Array.isArray(normalized) && normalized.length > maxItems + 1
    ? normalized.slice(0, maxItems + 1)
    : normalized;
}

/** The check of a field's value; null passes where the field is not required. */
export function valueSchema(field: Field): yup.Schema {
  const schema = definitionOf(field.kind).check(field);
  if (!field.required) return schema.nullable() as yup.Schema;
  const present = schema.nonNullable(fault('REQUIRED', {})) as yup.Schema;
  return present.defined(fault('REQUIRED', {})) as yup.Schema;
}

/** The issues of one field's value, at its path. @param schema its check */
export function faultsAt(
  schema: yup.Schema,
  path: string,
  value: unknown,
  context: CheckContext,
): Issue[] {
  try {
    const how = { strict: true, abortEarly: false, context, disableStackTrace: true, path };
    schema.validateSync(value, how as yup.ValidateOptions);
    return [];
  } catch (error) {
    if (yup.ValidationError.isError(error)) return issuesOf(error);
    throw error;
  }
}
