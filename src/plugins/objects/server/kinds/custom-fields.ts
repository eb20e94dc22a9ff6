import { object } from './checks';
import { type JsonSchema, type KindDefinition, jsonColumn } from './kind';
import { deep } from './normalize';

/** Characters of a text in a custom field. */
export const MAX_CUSTOM_TEXT = 10_000;

/** A value of any of the types that a field may be defined to have. */
const VALUE: JsonSchema = {
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: { type: 'string' } },
  ],
};

/** The values of the fields that the site settings define, by their keys. */
export const customFields: KindDefinition = {
  ...jsonColumn,
  empty: {},
  asks: true,
  longest: () => MAX_CUSTOM_TEXT,
  normalize: deep,
  check: object,
  schema: () => ({ type: 'object', additionalProperties: VALUE }),
  referredId: null,
  parameter: null,
};
