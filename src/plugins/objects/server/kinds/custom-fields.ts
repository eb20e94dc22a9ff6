import { object } from './checks';
import { json } from './encode';
import type { KindDefinition } from './kind';
import { deep } from './normalize';

/** Characters of a text in a custom field. */
export const MAX_CUSTOM_TEXT = 10_000;

/** The values of the fields that the site settings define, by their keys. */
export const customFields: KindDefinition = {
  attributes: ['json'],
  natural: [],
  empty: {},
  json: 'json',
  asks: true,
  recurs: false,
  longest: () => MAX_CUSTOM_TEXT,
  normalize: deep,
  check: object,
  schema: () => ({ type: 'object' }),
  encode: json,
  parameter: null,
};
