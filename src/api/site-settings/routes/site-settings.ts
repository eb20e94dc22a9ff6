import { createSingleRoutes } from '../../../endpoints/routes';
import resource from '../resource';

export default createSingleRoutes(resource, { update: ['IN_USE'] });
