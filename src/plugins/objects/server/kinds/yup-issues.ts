/** Issues as yup's tests report them: a key and its arguments in place of a text. */
import { ValidationError } from 'yup';
import {
  MAX_FAULTS,
  type FieldArgs,
  type FieldErrorKey,
  type Issue,
} from '../../../../core/errors';

/** A message that yup copies to its error unchanged. */
type Fault = Readonly<Record<'key' | 'args', unknown>>;

/** The message of a yup test. */
export const fault = <K extends FieldErrorKey>(key: K, args: FieldArgs<K>): Fault => ({
  key,
  args,
});

/**
 * What a yup test returns of several faults, valid without any. Without a stack trace, which yup takes for each error
 * of its own making and which costs as much as the check: a list may have an error for each of its items.
 */
export const validUnless = (faults: readonly ValidationError[]): true | ValidationError =>
  faults.length === 0 ||
  new ValidationError(faults.slice(0, MAX_FAULTS), undefined, undefined, undefined, true);

/** yup writes `names[0].value`, the wire `names.0.value`. */
const inDots = (path: string): string =>
  path.replace(/\[(\d+)\]/g, '.$1').replace(/\["([^"]*)"\]/g, '.$1');

/** All issues of a validation. */
export function issuesOf(error: ValidationError): Issue[] {
  const leaves = error.inner.length > 0 ? error.inner : [error];
  return leaves.flatMap((leaf) =>
    (leaf.errors as unknown as Fault[]).map(
      ({ key, args }) => ({ path: inDots(leaf.path ?? ''), key, args }) as Issue,
    ),
  );
}
