import { createSingleRoutes } from '../../../endpoints/routes';
import resource from '../resource';

export default { routes: createSingleRoutes(resource, { update: ['IN_USE'] }) };
