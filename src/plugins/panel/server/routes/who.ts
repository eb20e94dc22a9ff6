/** Who works in the panel, as its routes tell them apart. */
import { PANEL_ROLES } from '../accounts/panel-users';
import type { PanelContext, PanelUser } from '../strapi-internals';

/**
 * Moderators and administrators are accounts of the service. An operator was made through Strapi, has no account, and may
 * what Strapi's own permissions say.
 */
export type Who = 'moderator' | 'administrator' | 'operator';

const RANKS: Readonly<Record<Who, number>> = { moderator: 1, administrator: 2, operator: 3 };

/** What somebody is who has come in. */
export function roleOf({ roles = [] }: PanelUser): Who {
  const codes = new Set(roles.map(({ code }) => code));
  if (codes.has(PANEL_ROLES.moderator ?? '')) return 'moderator';
  return codes.has(PANEL_ROLES.administrator ?? '') ? 'administrator' : 'operator';
}

/** A policy of Strapi's: it is asked after the authentication. */
export const atLeast =
  (who: Who) =>
  ({ state: { user } }: PanelContext): boolean =>
    user !== undefined && RANKS[roleOf(user)] >= RANKS[who];
