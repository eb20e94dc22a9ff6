/** The plugin `panel`: who comes into the admin panel, what it shows, and what its forms save. */
import type { Core } from '@strapi/strapi';
import { replaceProfile } from './accounts/profile';
import { replaceSignIn } from './accounts/sign-in';
import { replaceStrapiActions } from './accounts/strapi-actions';
import { answerDocuments } from './documents/middleware';
import { checkSiteSettings } from './documents/site-settings';
import { answerFailures } from './failures';
import { addFirstPage } from './first-administrator/page-handler';
import { hideQueries } from './hidden-fields';
import { ensureRoles } from './roles';

type Context = { strapi: Core.Strapi };

/** In the app's `bootstrap`, after Strapi has made its own roles. */
export const preparePanel = (strapi: Core.Strapi): Promise<void> => ensureRoles(strapi);

export default {
  register({ strapi }: Context) {
    replaceSignIn(strapi);
    replaceProfile(strapi);
    replaceStrapiActions(strapi);
    addFirstPage(strapi);
  },
  bootstrap({ strapi }: Context) {
    answerDocuments(strapi);
    checkSiteSettings(strapi);
    hideQueries(strapi);
  },
  middlewares: { failures: answerFailures },
};
