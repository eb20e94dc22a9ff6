import { createRoutes } from '../../../endpoints/routes';
import resource from '../resource';

export default createRoutes(
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
