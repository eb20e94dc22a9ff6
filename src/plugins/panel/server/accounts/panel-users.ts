/**
 * The panel user of an account: it has the account's name, address and role, and is active as long as the account may
 * sign in. It is updated in the transaction that changes the account.
 */
import { local, type Caller, type Role } from '../../../../core/caller';
import { USERS } from '../../../accounts/server/users/account';
import type { Database, Dialect } from '../../../objects/server/database/database';
import { raw, sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { ChangeMade, ConsequenceContext } from '../../../objects/server/declare/behavior';

/** Links panel users to accounts of the service. */
export const LINKS = raw('oms_panel_accounts');

/** The names of Strapi's tables, as of 5.54: a test compares them with Strapi's models. */
export const STRAPI = {
  users: 'admin_users',
  roles: 'admin_roles',
  /** Links users to roles: `user_id`, `role_id` and their positions in each other's lists. */
  usersRoles: 'admin_users_roles_lnk',
  sessions: 'strapi_sessions',
} as const;

/** The codes of panel roles by role of the API; accounts with other roles cannot sign in. */
export const PANEL_ROLES: Readonly<Record<Role, string | null>> = {
  anonymous: null,
  user: null,
  moderator: 'oms-moderator',
  administrator: 'oms-administrator',
};

const PANEL_USERS = raw(STRAPI.users);
const USERS_ROLES = raw(STRAPI.usersRoles);
const SESSIONS = raw(STRAPI.sessions);

/** The present panel user of an account. */
export interface LinkedUser {
  /** The numeric ID of the panel user. */
  readonly panelUser: number;
  readonly isActive: boolean;
}

/** The fields of an account that the panel shows. */
interface Shown {
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly code: string | null;
}

/**
 * Updates the panel user from its account, and ends its sessions if it is no longer active.
 *
 * @returns null for an account without a panel user, or that has been deleted together with it
 */
export function* syncPanelUser(dialect: Dialect, account: string): Work<LinkedUser | null> {
  const link = yield* askOne(sql`select panel_user from ${LINKS} where account = ${account}`);
  if (!link) return null;
  const panelUser = Number(link[0]);
  // Locked, so that this waits for a concurrent change of the account.
  const row = yield* askOne(
    sql`select name, email, username, account_role, case when blocked is true then 1 else 0 end
      from ${USERS} where document_id = ${account}${dialect.forUpdate('up_users')}`,
  );
  if (!row) {
    yield* remove(panelUser);
    return null;
  }
  const [name, email, username, role, isBlocked] = row;
  const code = Number(isBlocked) === 1 ? null : PANEL_ROLES[role as Role];
  yield* show(dialect, panelUser, {
    name: String(name),
    email: String(email),
    username: username === null || username === undefined ? null : String(username),
    code,
  });
  if (code === null) yield* endPanelSessions(panelUser);
  return { panelUser, isActive: code !== null };
}

function* show(
  dialect: Dialect,
  panelUser: number,
  { name, email, username, code }: Shown,
): Work<void> {
  const isActive = dialect.boolean(code !== null);
  yield* ask(
    sql`update ${PANEL_USERS} set firstname = ${name}, lastname = null, email = ${email},
      username = ${username}, is_active = ${isActive} where id = ${panelUser}`,
  );
  const roles = yield* ask(
    sql`select r.code from ${USERS_ROLES} l join ${raw(STRAPI.roles)} r on r.id = l.role_id
      where l.user_id = ${panelUser}`,
  );
  const codes = roles.map(([held]) => held);
  if (code === null ? codes.length === 0 : codes.length === 1 && codes[0] === code) return;
  yield* ask(sql`delete from ${USERS_ROLES} where user_id = ${panelUser}`);
  if (code === null) return;
  yield* ask(
    sql`insert into ${USERS_ROLES} (user_id, role_id, role_ord, user_ord)
      select u.id, r.id, 1, 1 from ${PANEL_USERS} u, ${raw(STRAPI.roles)} r
      where u.id = ${panelUser} and r.code = ${code}`,
  );
}

/** Deletes a panel user. Strapi's foreign keys delete or clear what refers to it. */
function* remove(panelUser: number): Work<void> {
  yield* endPanelSessions(panelUser);
  yield* ask(sql`delete from ${LINKS} where panel_user = ${panelUser}`);
  yield* ask(sql`delete from ${PANEL_USERS} where id = ${panelUser}`);
}

/** Ends the sessions of a panel user, except one. */
function* endPanelSessions(panelUser: number, except: string | null = null): Work<void> {
  yield* ask(
    sql`delete from ${SESSIONS} where origin = 'admin' and user_id = ${String(panelUser)}
      and session_id <> ${except ?? ''}`,
  );
}

/** The consequences of a change of an account for its panel user, in the transaction of the change. */
export function* panelConsequences(
  { before, after, id }: ChangeMade,
  { dialect, caller }: ConsequenceContext,
): Work<void> {
  if (before === null) return;
  const linked = yield* syncPanelUser(dialect, id);
  if (linked === null || after === null) return;
  const isOwn = caller.id === id;
  if (before['password'] !== after['password'])
    yield* endPanelSessions(linked.panelUser, isOwn ? caller.session : null);
}

/**
 * The identity of a panel user.
 *
 * @param session the session of the request
 * @returns null for a user that the operator created through Strapi; anonymous if the account is deleted or blocked
 */
export async function accountBehind(
  database: Database,
  panelUser: number,
  session: string | null,
): Promise<Caller | null> {
  const [row] = await database.read(
    sql`select t.account, u.id, u.name, u.account_role, case when u.blocked is true then 1 else 0 end
      from ${LINKS} t left join ${USERS} u on u.document_id = t.account
      where t.panel_user = ${panelUser}`,
  );
  if (!row) return null;
  const [id, rowId, name, role, isBlocked] = row;
  const isAlive = typeof role === 'string' && Number(isBlocked) !== 1;
  return local({
    role: isAlive ? (role as Role) : 'anonymous',
    id: String(id),
    rowId: typeof rowId === 'number' ? rowId : null,
    session,
    actor: { kind: 'user', name: typeof name === 'string' ? name : null },
  });
}

/** Whether a panel user belongs to an account of the service. */
export async function isLinked(database: Database, panelUser: number): Promise<boolean> {
  const rows = await database.read(sql`select 1 from ${LINKS} where panel_user = ${panelUser}`);
  return rows.length > 0;
}
