/** The plugin `panel`: sign-in to the admin panel, what it shows, and what its forms save. */
import type { Core } from '@strapi/strapi';
import { apiController, apiRoutes, mayUseApi } from './api/controller';
import { replaceProfile } from './accounts/profile';
import { replaceSignIn } from './accounts/sign-in';
import { replaceStrapiActions } from './accounts/strapi-actions';
import { showEdges } from './documents/edges';
import { answerDocuments } from './documents/middleware';
import { ensureForms, showWhatCounts } from './documents/forms';
import { hideUnreadableValues } from './documents/related';
import { hideUnreadableFields } from './documents/schemas';
import { deleteSelections } from './documents/selection';
import { hiddenController, hiddenRoutes } from './hidden/controller';
import { homeController, homeRoutes } from './home/controller';
import { answerLists } from './lists/lists';
import { answerPickers } from './lists/pickers';
import { registerInputs } from './inputs';
import { answerFailures } from './failures';
import { addFirstPage } from './first-administrator/page-handler';
import { mapTilesController, mapTilesRoutes } from './map-tiles';
import { reviewController, reviewRoutes } from './review/controller';
import { mayReview, registerReviewPermission } from './review/permission';
import { ensureRoles } from './roles';
import { closeRoutes } from './routes/close';
import { atLeast } from './routes/who';
import { secondLookRoutes, secondLooksController } from './second-looks/controller';
import { createSources, panelSourcesOf, type PanelSources } from './sources';

type Context = { strapi: Core.Strapi };

/** To be called in the app's `bootstrap`, after Strapi has created its own roles. */
export async function preparePanel(strapi: Core.Strapi, sources: PanelSources): Promise<void> {
  panelSourcesOf(strapi).provide(sources);
  await ensureRoles(strapi);
  await ensureForms(strapi);
}

/**
 * Adds the `Vary` header for caches: Strapi serves the compressed copies of the panel's files, but does not send it.
 */
function varyByEncoding(strapi: Core.Strapi): void {
  strapi.server.use((ctx, next) => {
    if (ctx.path.startsWith('/admin/')) ctx.vary('Accept-Encoding');
    return next();
  });
}

export default {
  register({ strapi }: Context) {
    registerInputs(strapi);
    replaceSignIn(strapi);
    replaceProfile(strapi);
    replaceStrapiActions(strapi);
    hideUnreadableFields(strapi);
    hideUnreadableValues(strapi);
    deleteSelections(strapi);
    answerPickers(strapi);
    addFirstPage(strapi);
    closeRoutes(strapi);
    varyByEncoding(strapi);
  },
  async bootstrap({ strapi }: Context) {
    showWhatCounts(strapi);
    showEdges(strapi);
    answerDocuments(strapi);
    answerLists(strapi);
    await registerReviewPermission(strapi);
  },
  services: { sources: createSources },
  controllers: {
    api: apiController,
    hidden: hiddenController,
    home: homeController,
    mapTiles: mapTilesController,
    review: reviewController,
    secondLooks: secondLooksController,
  },
  routes: {
    admin: {
      type: 'admin',
      routes: [
        ...reviewRoutes,
        ...hiddenRoutes,
        ...homeRoutes,
        ...mapTilesRoutes,
        ...apiRoutes,
        ...secondLookRoutes,
      ],
    },
  },
  middlewares: { failures: answerFailures },
  policies: {
    moderator: atLeast('moderator'),
    administrator: atLeast('administrator'),
    operator: atLeast('operator'),
    mayReview,
    mayUseApi,
  },
};
