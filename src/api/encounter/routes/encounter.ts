import { withAbout } from '../../../endpoints/about';
import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import resource from '../resource';
import { ABOUT } from '../about';

const standard = createRoutes(
  resource,
  {},
  {
    mayAnswer: {
      claim: {
        type: 'string',
        description:
          'Of a report without a login: permits, in `X-Claim`, reading it until it has been reviewed, and adopting it for 30 days.',
      },
    },
  },
);

export default { routes: withAbout(ABOUT, [...standard, ...createSearchRoutes(resource)]) };
