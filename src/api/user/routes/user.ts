import { withAbout } from '../../../endpoints/about';
import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import { createSuggestRoute } from '../../../endpoints/suggest';
import resource from '../resource';
import { ABOUT } from '../about';

const standard = createRoutes(resource, {
  update: ['PASSWORD_WRONG', 'TOO_MANY_REQUESTS', 'LAST_ADMINISTRATOR'],
  delete: ['LAST_ADMINISTRATOR'],
});

export default {
  routes: withAbout(ABOUT, [
    ...standard,
    ...createSearchRoutes(resource),
    createSuggestRoute(resource),
  ]),
};
