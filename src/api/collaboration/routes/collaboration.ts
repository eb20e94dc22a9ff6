import { withAbout } from '../../../endpoints/about';
import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import resource from '../resource';
import { ABOUT } from '../about';

const standard = createRoutes(resource, {
  create: ['NOT_PERMITTED'],
  update: ['STATE_CONFLICT'],
});

/** A collaboration is not deleted: it is ended. */
export default {
  routes: withAbout(ABOUT, [
    ...standard.filter(({ method }) => method !== 'DELETE'),
    ...createSearchRoutes(resource, { needsLogin: true }),
  ]),
};
