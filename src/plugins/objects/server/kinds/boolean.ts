import * as yup from 'yup';
import type { KindDefinition } from './kind';
import { asItIs } from './normalize';
import { fault } from './yup-issues';

export const boolean: KindDefinition = {
  attributes: ['boolean'],
  natural: ['boolean'],
  empty: null,
  json: 'boolean',
  asks: false,
  recurs: false,
  longest: () => null,
  normalize: asItIs,
  check: () => yup.boolean().typeError(fault('TYPE', { expected: 'boolean' })),
  schema: () => ({ type: 'boolean' }),
  encode: (value, dialect) => [typeof value === 'boolean' ? dialect.boolean(value) : null],
  referredId: null,
  parameter: {
    read: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    type: 'boolean',
  },
};
