/**
 * The tables behind the panel's users: ours, which links each to an account of the service, and
 * those of Strapi's that have to change in the transaction of an account's change. A test compares
 * these names with Strapi's models.
 */
import { raw } from '../../../objects/server/database/sql';

/** Which panel user belongs to which account of the service. */
export const LINKS = raw('oms_panel_accounts');

/** Strapi's names, as they are in 5.54. */
export const STRAPI = {
  users: 'admin_users',
  roles: 'admin_roles',
  /** Which user has which role: `user_id`, `role_id` and their places in each other's lists. */
  usersRoles: 'admin_users_roles_lnk',
  sessions: 'strapi_sessions',
} as const;
