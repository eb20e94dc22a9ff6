import type { Field } from '../declare/completed';
import * as checks from './checks';
import { type JsonSchema, type KindDefinition, plain } from './kind';
import { withoutNegativeZero } from './normalize';

/** The JSON Schema of a number within its bounds. */
export const numberSchema = ({ kind, min, max }: Field): JsonSchema => ({
  type: kind,
  ...(min === null ? {} : { minimum: min }),
  ...(max === null ? {} : { maximum: max }),
});

/** A number as JSON writes it, which programs write with an exponent where it is small or large; other texts as they are. */
export const asNumber = (text: string): unknown =>
  /^-?\d{1,300}(?:\.\d{1,300})?(?:e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : text;

/** Whether a value surely passes the check. */
export const acceptsNumber = (value: unknown, { min, max }: Field): boolean =>
  Number.isFinite(value) &&
  (min === null || Number(value) >= min) &&
  (max === null || Number(value) <= max);

export const number: KindDefinition = {
  attributes: ['float'],
  natural: ['float'],
  empty: null,
  json: 'plain',
  asks: false,
  recurs: true,
  longest: () => null,
  normalize: withoutNegativeZero,
  check: (field) => checks.numberCheck('number', field),
  schema: numberSchema,
  encode: plain,
  referredId: null,
  parameter: { read: asNumber, type: 'double precision' },
};
