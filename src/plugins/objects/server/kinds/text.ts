import type { StringSchema } from 'yup';
import type { Field } from '../declare/completed';
import { isAbsent, isWithin, string } from './checks';
import { type JsonSchema, type KindDefinition, plain } from './kind';
import { asItIs, asText } from './normalize';
import { fault } from './yup-issues';

/** The JSON Schema of a text within its bounds. */
export const textSchema = ({ minLength, maxLength }: Field): JsonSchema => ({
  type: 'string',
  ...(minLength > 0 ? { minLength } : {}),
  maxLength,
});

/** The same, but for what the field itself rejects. */
export const notRejected = (field: Field, schema: StringSchema): StringSchema =>
  schema.test('rejected', (value, context) => {
    const isChecked = !isAbsent(value) && isWithin(field, value);
    const expected = isChecked ? (field.rejects?.(value) ?? null) : null;
    return expected === null
      ? true
      : context.createError({ message: fault('FORMAT', { expected }) });
  });

/** Whether a value surely passes the check. */
export const acceptsText = (value: unknown, field: Field): boolean =>
  typeof value === 'string' && !field.rejects && isWithin(field, value);

export const text: KindDefinition = {
  attributes: ['string', 'text'],
  natural: ['string', 'text'],
  empty: null,
  json: 'plain',
  asks: false,
  recurs: true,
  longest: ({ maxLength }) => maxLength,
  normalize: asText,
  check: (field) => notRejected(field, string(field)),
  schema: textSchema,
  encode: plain,
  referredId: null,
  parameter: { read: asItIs, type: 'text' },
};
