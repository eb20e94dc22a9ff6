import { withAbout } from '../../../endpoints/about';
import { createSingleRoutes } from '../../../endpoints/routes';
import resource from '../resource';
import { ABOUT } from '../about';

export default { routes: withAbout(ABOUT, createSingleRoutes(resource, { update: ['IN_USE'] })) };
