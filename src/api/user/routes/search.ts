import type { ActionOperation } from '../../../endpoints/operations';
import { listParameter, queryParameter } from '../../../endpoints/openapi/parameters';
import { searchSchema } from '../../../plugins/objects/server/define/json-schema';
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_VALUES,
  searchable,
} from '../../../plugins/objects/server/search/exact';

const FIELD =
  'Any of these values; `null` is none. A comma in a value has a backslash before it. What the caller does not see of a user matches nothing.';

const operation: ActionOperation = {
  kind: 'action',
  name: 'searchUser',
  tag: 'user',
  summary: 'Find users by what their fields are',
  finds: true,
  parameters(resources) {
    const user = resources.get('user');
    return [
      ...(user ? searchable(user) : []).map((field) =>
        listParameter(field.name, searchSchema(field), FIELD, { maxItems: MAX_VALUES }),
      ),
      queryParameter(
        'limit',
        { type: 'integer', minimum: 0, maximum: MAX_LIMIT },
        `How many IDs at most; ${DEFAULT_LIMIT} where nothing is said, and 0 only counts.`,
      ),
      queryParameter('cursor', { type: 'string' }, 'The `next` of the page before.'),
    ];
  },
  response: {
    type: 'object',
    required: ['total', 'total_is_exact', 'limit', 'next'],
    properties: {
      total: { type: 'integer', description: 'Exact up to 10,000.' },
      total_is_exact: { type: 'boolean' },
      limit: { type: 'integer' },
      next: { type: ['string', 'null'], description: 'Where the next page begins.' },
    },
  },
  refusals: [],
};

export default {
  routes: [
    { method: 'GET', path: '/v0/search/user', handler: 'user.search', config: { operation } },
  ],
};
