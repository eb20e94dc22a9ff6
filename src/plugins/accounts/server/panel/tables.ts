/**
 * The tables behind the panel's accounts: ours, which ties each to an account of the service, and
 * those of Strapi's that have to change in the transaction of an account's change. A test compares
 * these names with Strapi's models.
 */
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../../../objects/server/database/own-tables';

/** Which panel account belongs to which account of the service. */
export const TIES = 'oms_panel_accounts';

/** The hash of the secret by which the first administrator is made. */
export const FIRST = 'oms_first_administrator';

/** Strapi's names, as they are in 5.54. */
export const STRAPI = {
  users: 'admin_users',
  roles: 'admin_roles',
  /** Which user has which role: `user_id`, `role_id` and their places in each other's lists. */
  usersRoles: 'admin_users_roles_lnk',
  sessions: 'strapi_sessions',
} as const;

/** Makes our tables where they are missing. */
export async function ensurePanelTables(strapi: Core.Strapi): Promise<void> {
  await ensureTable(strapi, TIES, (table) => {
    table.string('account', 36).notNullable().unique();
    table.integer('panel_user').notNullable().unique();
  });
  await ensureTable(strapi, FIRST, (table) => {
    table.string('hash', 64).primary();
  });
}
