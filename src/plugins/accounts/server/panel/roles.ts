/** The panel's two roles: what moderators and administrators see of the content manager, and may do in it. */
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../../objects/server';
import type { Audience } from '../../../objects/server/define/declaration';
import type { Resource } from '../../../objects/server/define/resource';
import { SITE_UID } from '../../../objects/server/site';
import { ACTIONS, type Action } from '../permissions';
import { USER_UID } from '../users/account';
import type { Permission, RoleService } from './internals';
import { PANEL_ROLES } from './ties';

type PanelRole = 'moderator' | 'administrator';

const NAMES: Readonly<Record<PanelRole, { name: string; description: string }>> = {
  moderator: {
    name: 'Moderator',
    description: 'Accounts with the role moderator. What it may do is set anew at each start.',
  },
  administrator: {
    name: 'Administrator',
    description: 'Accounts with the role administrator. What it may do is set anew at each start.',
  },
};

const actionOf = (action: Action): string => `plugin::content-manager.explorer.${action}`;

/** Who sees more of a person than moderators do. */
const MORE: ReadonlySet<Audience> = new Set(['self', 'administrator', 'nobody']);

/** Makes the roles where they are missing, and sets what they may do. After Strapi has made its own. */
export async function ensureRoles(strapi: Core.Strapi): Promise<void> {
  const roles = strapi.service('admin::role') as unknown as RoleService;
  for (const role of ['moderator', 'administrator'] as const) {
    const id = await roleId(strapi, role);
    await roles.assignPermissions(id, permissionsOf(strapi, role));
  }
}

async function roleId(strapi: Core.Strapi, role: PanelRole): Promise<number> {
  const code = PANEL_ROLES[role];
  const query = strapi.db.query('admin::role');
  const found = (await query.findOne({ where: { code } })) as { id: number } | null;
  if (found) return found.id;
  // Not by Strapi's service: an operator may have a role of this name already.
  const made = (await query.create({ data: { ...NAMES[role], code } })) as { id: number };
  return made.id;
}

function permissionsOf(strapi: Core.Strapi, role: PanelRole): Permission[] {
  const resources = [...registryOf(strapi).model().resources.values()];
  const ofTypes = resources.flatMap((resource) =>
    ACTIONS.filter((action) => isGranted(resource, action, role)).map((action) =>
      permission(strapi, resource.uid, action, role === 'moderator' ? hidden(resource) : NOTHING),
    ),
  );
  if (role === 'moderator') return ofTypes;
  return [...ofTypes, ...ACTIONS.map((action) => permission(strapi, SITE_UID, action, NOTHING))];
}

/** As the API's table has it; that anybody may register makes nobody an editor of accounts. */
const isGranted = ({ uid, permissions }: Resource, action: Action, role: PanelRole): boolean =>
  permissions[action][role] === 'any' &&
  (uid !== USER_UID || action === 'read' || role === 'administrator');

const NOTHING: ReadonlySet<string> = new Set();

/** The attributes that moderators do not see, and the keys that are made of them. */
export function hidden({ uid, fields }: Resource): ReadonlySet<string> {
  const ofFields = [...fields.values()].filter(({ seen }) => MORE.has(seen));
  const keys = uid === USER_UID ? ['emailKey', 'usernameKey'] : [];
  return new Set([...ofFields.flatMap(({ attribute }) => attribute ?? []), ...keys]);
}

interface ContentTypeService {
  getNestedFields(model: unknown, options: object): string[];
}

function permission(
  strapi: Core.Strapi,
  uid: string,
  action: Action,
  without: ReadonlySet<string>,
): Permission {
  const types = strapi.service('admin::content-type') as unknown as ContentTypeService;
  const model = strapi.contentType(uid as never);
  const { components } = strapi;
  const fields = types.getNestedFields(model, { components }).filter((name) => !without.has(name));
  // Strapi's action for deletions knows no fields.
  const properties = action === 'delete' ? {} : { fields };
  return { action: actionOf(action), subject: uid, properties };
}
