import { createController } from '../../../endpoints/controller';
import resource from '../resource';

export default createController(resource);
