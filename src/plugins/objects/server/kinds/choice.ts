import * as yup from 'yup';
import { isAbsent } from './checks';
import { type KindDefinition, plain } from './kind';
import { asItIs } from './normalize';
import { fault } from './yup-issues';

/** The maximum length of a choice's value, in characters. */
const LONGEST = 64;

/** One of the values of an enumeration. */
export const choice: KindDefinition = {
  attributes: ['enumeration'],
  natural: ['enumeration'],
  empty: null,
  json: 'plain',
  asks: false,
  recurs: true,
  longest: () => LONGEST,
  normalize: (value, { spellings }) =>
    typeof value === 'string' && Object.hasOwn(spellings, value) ? spellings[value] : value,
  check: ({ choices }) =>
    yup
      .mixed()
      .test(
        'choice',
        fault('NOT_ONE_OF', { allowed: choices }),
        (value) => isAbsent(value) || choices.some((known) => known === value),
      ),
  schema: ({ choices }) => ({ type: 'string', enum: choices }),
  encode: plain,
  referredId: null,
  parameter: { read: asItIs, type: 'text' },
};
