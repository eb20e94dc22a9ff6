import * as yup from 'yup';
import { type KindDefinition, plain } from './kind';
import { asItIs } from './normalize';

/** A time that the service sets: UTC, with milliseconds. */
export const instant: KindDefinition = {
  attributes: ['datetime'],
  natural: ['datetime'],
  empty: null,
  json: 'instant',
  asks: false,
  recurs: false,
  longest: () => null,
  normalize: asItIs,
  check: () => yup.mixed(),
  schema: () => ({ type: 'string', format: 'date-time' }),
  encode: plain,
  referredId: null,
  parameter: null,
};
