import type { Core } from '@strapi/strapi';
import { createController } from '../../../endpoints/controller';
import { createSearch } from '../../../endpoints/search';
import { createSuggest } from '../../../endpoints/suggest';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),
  ...createSearch(resource)({ strapi }),
  ...createSuggest(resource)({ strapi }),
});
