import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import resource from '../resource';

const standard = createRoutes(
  resource,
  {},
  {
    mayAnswer: {
      claim: {
        type: 'string',
        description:
          'Of a report without a login: permits reading it, in `X-Claim`, until it has been reviewed.',
      },
    },
  },
);

export default { routes: [...standard, ...createSearchRoutes(resource)] };
