import { uuid } from '../helpers/ids';
import type { Fault } from '../helpers/scenario';

/** What a field refers to in the tests: made before they run. */
export const TARGET = uuid(0xf00);

/** A value that is accepted, and what is kept of it where that is another. */
export interface GoodSample {
  readonly sent: unknown;
  readonly kept: unknown;
}

/** A value that is refused. The paths of the faults begin behind the field's name. */
export interface BadSample {
  readonly sent: unknown;
  readonly faults: readonly Fault[];
}

export interface Samples {
  readonly good: readonly GoodSample[];
  readonly bad: readonly BadSample[];
}

export const good = (sent: unknown, kept: unknown = sent): GoodSample => ({ sent, kept });
export const bad = (sent: unknown, key: string, args?: Fault[2], path = ''): BadSample => ({
  sent,
  faults: [args === undefined ? [path, key] : [path, key, args]],
});

export const ofOtherTypes = (expected: string, ...values: unknown[]): BadSample[] =>
  values.map((value) => bad(value, 'TYPE', { expected }));
