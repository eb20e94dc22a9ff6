import { isUuid } from '../../../../core/formats';
import { formatted } from './checks';
import { type KindDefinition, plain } from './kind';
import { asItIs, asLowerCase } from './normalize';

/** The length in characters. */
const LENGTH = 36;

/** Whether a value surely passes the check. */
export const acceptsUuid = (value: unknown): boolean => typeof value === 'string' && isUuid(value);

/** A UUID of any version, in lower case. */
export const uuid: KindDefinition = {
  attributes: ['string'],
  natural: [],
  empty: null,
  json: 'plain',
  asks: false,
  recurs: false,
  longest: () => LENGTH,
  normalize: asLowerCase,
  check: ({ minLength }) => formatted({ minLength, maxLength: LENGTH }, 'uuid', isUuid),
  schema: () => ({ type: 'string', format: 'uuid' }),
  encode: plain,
  referredId: null,
  parameter: { read: asItIs, type: 'text' },
};
