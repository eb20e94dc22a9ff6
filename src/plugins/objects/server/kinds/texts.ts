import type { Field } from '../declare/completed';
import { isWithin, item, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { asText } from './normalize';

/** Whether a value surely passes the check. */
export function acceptsList(value: unknown, { maxItems, maxLength }: Field): boolean {
  if (!Array.isArray(value) || value.length > maxItems) return false;
  for (const text of value)
    if (typeof text !== 'string' || !isWithin({ minLength: 1, maxLength }, text)) return false;
  return true;
}

/** A list of texts. */
export const texts: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: ({ maxLength }) => maxLength,
  normalize: (value, field) => {
    if (!Array.isArray(value)) return value;
    const items = value.map((entry: unknown) => asText(entry, field));
    // More than there may be stay more, and are refused.
    const isDistinct = field.distinct && items.length <= field.maxItems;
    return isDistinct ? [...new Set(items)] : items;
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
