import { isUuid } from '../../../../core/formats';
import { formatted, item, listCheck } from './checks';
import type { KindDefinition } from './kind';
import { asLowerCase } from './normalize';
import { uuid } from './uuid';

/** An ordered list of distinct IDs of other objects, stored in a join table. */
export const references: KindDefinition = {
  ...uuid,
  attributes: ['relation'],
  empty: [],
  json: 'json',
  asks: true,
  normalize: (value) => (Array.isArray(value) ? [...new Set(value.map(asLowerCase))] : value),
  check: (field) =>
    listCheck(field, item(formatted({ minLength: 0, maxLength: 36 }, 'uuid', isUuid), 'uuid')),
  schema: ({ maxItems }) => ({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    maxItems,
  }),
  encode: () => [],
  referredId: String,
  parameter: null,
};
