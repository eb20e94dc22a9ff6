/** The plugin `panel`: who comes into the admin panel, what it shows, and what its forms save. */
import type { Core } from '@strapi/strapi';
import { replaceProfile } from './accounts/profile';
import { replaceSignIn } from './accounts/sign-in';
import { replaceStrapiActions } from './accounts/strapi-actions';
import { answerDocuments } from './documents/middleware';
import { ensureForms, showWhatCounts } from './documents/forms';
import { hideUnreadableFields } from './documents/schemas';
import { registerInputs } from './inputs';
import { answerFailures } from './failures';
import { addFirstPage } from './first-administrator/page-handler';
import { varyByEncoding } from './panel-files';
import { ensureRoles } from './roles';
import { closeRoutes } from './routes/close';
import { atLeast } from './routes/who';

type Context = { strapi: Core.Strapi };

/** In the app's `bootstrap`, after Strapi has made its own roles. */
export async function preparePanel(strapi: Core.Strapi): Promise<void> {
  await ensureRoles(strapi);
  await ensureForms(strapi);
}

export default {
  register({ strapi }: Context) {
    registerInputs(strapi);
    replaceSignIn(strapi);
    replaceProfile(strapi);
    replaceStrapiActions(strapi);
    hideUnreadableFields(strapi);
    addFirstPage(strapi);
    closeRoutes(strapi);
    varyByEncoding(strapi);
  },
  bootstrap({ strapi }: Context) {
    showWhatCounts(strapi);
    answerDocuments(strapi);
  },
  middlewares: { failures: answerFailures },
  policies: {
    moderator: atLeast('moderator'),
    administrator: atLeast('administrator'),
    operator: atLeast('operator'),
  },
};
