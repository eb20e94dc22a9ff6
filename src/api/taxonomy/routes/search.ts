import { createSearchRoutes } from '../../../endpoints/search';
import resource from '../resource';

export default createSearchRoutes(resource);
