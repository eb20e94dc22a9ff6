import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import resource from '../resource';

export default {
  routes: [
    ...createRoutes(resource, { update: ['TOO_MANY_BELOW'] }),
    ...createSearchRoutes(resource),
  ],
};
