import { createRoutes } from '../../../endpoints/routes';
import resource from '../resource';

export default createRoutes(resource);
