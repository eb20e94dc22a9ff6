import * as checks from './checks';
import { isAbsent } from './checks';
import type { KindDefinition } from './kind';
import { asNumber, number } from './number';
import { fault } from './yup-issues';

/** The range of an `integer` column on both databases. */
export const MAX_INTEGER = 2_147_483_647;

export const integer: KindDefinition = {
  ...number,
  attributes: ['integer'],
  natural: ['integer'],
  check: ({ min, max }) =>
    checks
      .numberCheck('integer', { min: min ?? -MAX_INTEGER, max: max ?? MAX_INTEGER })
      .test(
        'whole',
        fault('TYPE', { expected: 'integer' }),
        (value) => isAbsent(value) || !Number.isFinite(value) || Number.isInteger(value),
      ),
  parameter: { read: asNumber, type: 'integer' },
};
