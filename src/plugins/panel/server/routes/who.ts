/** The users of the panel, as its routes distinguish them. */
import { PANEL_ROLES } from '../accounts/panel-users';
import type { PanelContext, PanelUser } from '../strapi-internals';

/**
 * Moderators and administrators have accounts of the service. An operator was created through Strapi, has no account,
 * and has Strapi's own permissions.
 */
export type Who = 'moderator' | 'administrator' | 'operator';

const RANKS: Readonly<Record<Who, number>> = { moderator: 1, administrator: 2, operator: 3 };

/** The kind of a signed-in user. */
export function roleOf({ roles = [] }: PanelUser): Who {
  const codes = new Set(roles.map(({ code }) => code));
  if (codes.has(PANEL_ROLES.moderator ?? '')) return 'moderator';
  return codes.has(PANEL_ROLES.administrator ?? '') ? 'administrator' : 'operator';
}

/** A policy of Strapi, which runs after the authentication. */
export const atLeast =
  (who: Who) =>
  ({ state: { user } }: PanelContext): boolean =>
    user !== undefined && RANKS[roleOf(user)] >= RANKS[who];
