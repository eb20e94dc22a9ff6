/**
 * The tables of the panel's users: ours, which links each user to an account of the service, and Strapi's, which have
 * to change in the transaction of an account's change. A test compares these names with Strapi's models.
 */
import { raw } from '../../../objects/server/database/sql';

/** Links panel users to accounts of the service. */
export const LINKS = raw('oms_panel_accounts');

/** Strapi's names, as of 5.54. */
export const STRAPI = {
  users: 'admin_users',
  roles: 'admin_roles',
  /** Links users to roles: `user_id`, `role_id` and their positions in each other's lists. */
  usersRoles: 'admin_users_roles_lnk',
  sessions: 'strapi_sessions',
} as const;
