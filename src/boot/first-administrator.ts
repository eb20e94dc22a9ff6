import type { Core } from '@strapi/strapi';

/** An account of the admin panel. */
export interface PanelAccount {
  readonly email: string;
  readonly password: string;
  readonly firstname: string;
}

interface AdminUserService {
  exists(): Promise<boolean>;
  createFirstAdmin(account: PanelAccount): Promise<unknown>;
}

/**
 * Makes the first Super Admin of the panel when there is none at all. Strapi's own form for it belongs to
 * whoever opens it first, so this has to come before the port opens.
 *
 * @returns whether the account was made.
 */
export async function createFirstAdministrator(
  strapi: Core.Strapi,
  account: PanelAccount,
): Promise<boolean> {
  const users = strapi.service('admin::user') as unknown as AdminUserService;
  if (await users.exists()) return false;
  await users.createFirstAdmin(account);
  return true;
}
