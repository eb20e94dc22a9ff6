import { createRoutes } from '../../../endpoints/routes';
import resource from '../resource';

export default createRoutes(resource, {
  update: ['PASSWORD_WRONG', 'TOO_MANY_REQUESTS', 'LAST_ADMINISTRATOR'],
  delete: ['LAST_ADMINISTRATOR'],
});
