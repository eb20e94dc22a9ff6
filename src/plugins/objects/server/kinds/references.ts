import { isUuid } from '../../../../core/formats';
import { formatted, item, list } from './checks';
import type { KindDefinition } from './kind';
import { asLowerCase } from './normalize';
import { uuid } from './uuid';

/** The IDs of other objects, each once, in an order; kept in a table of their own. */
export const references: KindDefinition = {
  ...uuid,
  attributes: ['relation'],
  empty: [],
  json: 'json',
  asks: true,
  normalize: (value) => (Array.isArray(value) ? [...new Set(value.map(asLowerCase))] : value),
  check: (field) =>
    list(field, item(formatted({ minLength: 0, maxLength: 36 }, 'uuid', isUuid), 'uuid')),
  schema: ({ maxItems }) => ({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    maxItems,
  }),
  encode: () => [],
  referredId: String,
  parameter: null,
};
