import { createRoutes } from '../../../endpoints/routes';
import resource from '../resource';

const { routes } = createRoutes(resource, {
  create: ['NOT_PERMITTED'],
  update: ['STATE_CONFLICT'],
});

/** A collaboration is not deleted: it is ended. */
export default { routes: routes.filter(({ method }) => method !== 'DELETE') };
