import type { ValidationError } from 'yup';
import type { FIELD_ERRORS, FieldErrorKey, Issue } from '../../../wire/server/errors';

/** A message that yup carries to its error as it is. */
type Complaint = Readonly<Record<'key' | 'args', unknown>>;

/** What a yup test says instead of a text. */
export const complain = <K extends FieldErrorKey>(
  key: K,
  args: Readonly<Record<(typeof FIELD_ERRORS)[K][number], unknown>>,
): Complaint => ({ key, args });

/** yup writes `names[0].value`, the wire `names.0.value`. */
const inDots = (path: string): string =>
  path.replace(/\[(\d+)\]/g, '.$1').replace(/\["([^"]*)"\]/g, '.$1');

/** All that a validation has found. */
export function issuesOf(error: ValidationError): Issue[] {
  const leaves = error.inner.length > 0 ? error.inner : [error];
  return leaves.flatMap((leaf) =>
    (leaf.errors as unknown as Complaint[]).map(
      ({ key, args }) => ({ path: inDots(leaf.path ?? ''), key, args }) as Issue,
    ),
  );
}
