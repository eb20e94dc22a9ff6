/** Who of the panel's users may review: a permission of its own, so that an operator's roles may have it or not. */
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import { permissionActions, type PanelContext } from '../strapi-internals';

/** The action of a type by which its objects are reviewed. */
export const REVIEW = 'review';
/** As Strapi names it in permissions. */
export const REVIEW_PERMISSION = `plugin::panel.${REVIEW}`;

/** Whether the objects of a type are reviewed. */
export const isReviewed = ({ actions }: Resource): boolean => actions.has(REVIEW);

/** Adds the permission to those that Strapi's roles may have. In `bootstrap`. */
export async function registerReviewPermission(strapi: Core.Strapi): Promise<void> {
  const resources = [...registryOf(strapi).model().resources.values()];
  const subjects = resources.filter(isReviewed).map(({ uid }) => uid);
  await permissionActions(strapi).registerMany([
    { section: 'contentTypes', displayName: 'Review', uid: REVIEW, pluginName: 'panel', subjects },
  ]);
}

/** A policy of Strapi: the user may review objects of the type in the path. */
export function mayReview({ state, params }: PanelContext): boolean {
  const ability = state.userAbility as { can(action: string, subject?: string): boolean };
  const { model } = params as { readonly model?: string };
  return ability.can(REVIEW_PERMISSION, model);
}
