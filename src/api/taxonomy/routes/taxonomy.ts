import { withAbout } from '../../../endpoints/about';
import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import { createSuggestRoute } from '../../../endpoints/suggest';
import resource from '../resource';
import { ABOUT } from '../about';

export default {
  routes: withAbout(ABOUT, [
    ...createRoutes(resource, { update: ['TOO_MANY_BELOW'] }),
    ...createSearchRoutes(resource),
    createSuggestRoute(resource),
  ]),
};
