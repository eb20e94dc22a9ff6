import { createRoutes } from '../../../endpoints/routes';
import resource from '../resource';

const { routes } = createRoutes(resource, {
  create: ['NOT_PERMITTED'],
  update: ['STATE_CONFLICT'],
});

/** Nobody deletes a collaboration: it is ended. */
export default { routes: routes.filter(({ method }) => method !== 'DELETE') };
