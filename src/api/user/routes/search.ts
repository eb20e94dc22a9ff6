import type { ActionOperation } from '../../../endpoints/operations';
import { searchable } from '../../../plugins/objects/server/search/exact';

const string = { type: 'string' };

const operation: ActionOperation = {
  kind: 'action',
  name: 'searchUser',
  tag: 'user',
  summary: 'Find users by what their fields are',
  finds: true,
  parameters(resources) {
    const user = resources.get('user');
    const fields = user ? searchable(user) : [];
    return [
      ...fields.map(({ name }) => ({
        name,
        in: 'query',
        schema: string,
        description:
          'Values with commas between, any of which it equals; `null` for none. What the caller does not see of a user matches nothing.',
      })),
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 1000 } },
      {
        name: 'cursor',
        in: 'query',
        schema: string,
        description: 'The `next` of the page before.',
      },
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
