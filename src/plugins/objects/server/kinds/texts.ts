import { item, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { asText } from './normalize';

/** A list of texts. */
export const texts: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: ({ maxLength }) => maxLength,
  normalize: (value, field) => {
    if (!Array.isArray(value)) return value;
    const items = value.map((entry: unknown) => asText(entry, field));
    return field.distinct ? [...new Set(items)] : items;
  },
  check: (field) =>
    listCheck(field, item(string({ minLength: 1, maxLength: field.maxLength }), 'string')),
  schema: ({ maxLength, maxItems }) => ({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength },
    maxItems,
  }),
  referredId: null,
  parameter: null,
};
