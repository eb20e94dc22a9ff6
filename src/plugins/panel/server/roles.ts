/** The panel's two roles: what moderators and administrators see and may do in the content manager. */
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../objects/server';
import type { Resource } from '../../objects/server/declare/completed';
import type { RightsRow } from '../../objects/server/declare/row';
import { permissionFields, type Permission, type RoleService } from './strapi-internals';
import { PANEL_ROLES } from './accounts/panel-users';
import { isReviewed, REVIEW, REVIEW_PERMISSION } from './review/permission';
import { isSecret } from '../../objects/server/kinds/traits';

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

/** The actions of the content manager on documents; each has a right of the same name. */
const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
type Action = (typeof ACTIONS)[number];

const actionOf = (action: Action): string => `plugin::content-manager.explorer.${action}`;

/** Creates missing roles, and sets their permissions. To be called after Strapi has created its own roles. */
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
  // Not with Strapi's service, which refuses a name that an operator has used for another role.
  const made = (await query.create({ data: { ...NAMES[role], code } })) as { id: number };
  return made.id;
}

function permissionsOf(strapi: Core.Strapi, role: PanelRole): Permission[] {
  const resources = [...registryOf(strapi).model().resources.values()];
  return resources.flatMap((resource) => [
    ...ACTIONS.filter((action) => isGranted(resource, action, role)).map((action) =>
      permission(
        strapi,
        resource.uid,
        action,
        role === 'moderator' ? hiddenAttributes(resource) : NOTHING,
      ),
    ),
    ...reviewPermission(resource, role),
  ]);
}

function reviewPermission(resource: Resource, role: PanelRole): Permission[] {
  const row = resource.rights.get(REVIEW);
  return row && isReviewed(resource) && isForAll(row, role)
    ? [{ action: REVIEW_PERMISSION, subject: resource.uid, properties: {} }]
    : [];
}

/**
 * The rights of a role to all objects, with any site settings. That everybody may register does not permit creating
 * accounts in the panel.
 */
const isGranted = (
  { rights, made, single }: Resource,
  action: Action,
  role: PanelRole,
): boolean => {
  // The page of the settings is for those who may change them.
  const row = rights.get(single !== null && action === 'read' ? 'update' : action);
  // A form of the panel has no file, and is no call.
  if (action === 'create' && made !== null) return false;
  return row !== undefined && isForAll(row, role);
};

const isForAll = (row: RightsRow, role: PanelRole): boolean =>
  row[role].some(({ relation, when }) => relation === null && when === null);

const NOTHING: ReadonlySet<string> = new Set();

/** The attributes that moderators do not see in every object, and the stored keys of unique rules. */
export function hiddenAttributes({ fields, unique }: Resource): ReadonlySet<string> {
  const own = [...fields.values()];
  const unseen = own.filter(({ seen }) => !isForAll(seen, 'moderator'));
  const attributes = new Set(own.map(({ attribute }) => attribute));
  const keys = unique.flatMap(({ attribute }) => (attributes.has(attribute) ? [] : attribute));
  return new Set([...unseen.flatMap(({ attribute }) => attribute ?? []), ...keys]);
}

/** The attributes that no caller sees. */
export const secretAttributes = ({ fields }: Resource): ReadonlySet<string> =>
  new Set(
    [...fields.values()].flatMap((field) => (isSecret(field) ? (field.attribute ?? []) : [])),
  );

function permission(
  strapi: Core.Strapi,
  uid: string,
  action: Action,
  without: ReadonlySet<string>,
): Permission {
  const fields = permissionFields(strapi, uid).filter((name) => !without.has(name));
  // Strapi's action for deletions has no fields.
  const properties = action === 'delete' ? {} : { fields };
  return { action: actionOf(action), subject: uid, properties };
}
