/** Where the maps of the panel get their tiles: from the environment of the service. */
import type { Core } from '@strapi/strapi';
import { panelSourcesOf } from './sources';
import type { PanelContext } from './strapi-internals';

export const mapTilesController = ({ strapi }: { strapi: Core.Strapi }) => ({
  read(ctx: PanelContext): void {
    ctx.body = { data: panelSourcesOf(strapi).get().mapTiles };
  },
});

/** `routes/allowed.ts` opens it. */
export const mapTilesRoutes = [
  {
    method: 'GET',
    path: '/map-tiles',
    handler: 'mapTiles.read',
    config: { policies: ['admin::isAuthenticatedAdmin'] },
  },
];
