/** The panel's door: whoever moderates or administers comes in with the account, and nobody else does. */
import type { Core } from '@strapi/strapi';
import { afterSync } from '../../../objects/server/database/own-tables';
import { closeDoors } from './doors';
import { openFirstDoor } from './first-door';
import { hideQueries } from './queries';
import { replaceProfile } from './profile';
import { ensureRoles } from './roles';
import { replaceSignIn } from './sign-in';
import { ensurePanelTables } from './tables';

/** In `register`: puts the accounts in front of Strapi's own sign-in. */
export function openPanelDoor(strapi: Core.Strapi): void {
  afterSync(strapi, () => ensurePanelTables(strapi));
  replaceSignIn(strapi);
  replaceProfile(strapi);
  closeDoors(strapi);
  openFirstDoor(strapi);
}

/** In the app's `bootstrap`, after Strapi has made its own roles. */
export async function preparePanel(strapi: Core.Strapi): Promise<void> {
  hideQueries(strapi);
  await ensureRoles(strapi);
}
