/**
 * The panel user behind an account: it shows what the account is, and is active as long as the
 * account may come in. Both follow in the transaction in which the account changes, so that nothing
 * can come between.
 */
import { local, type Caller, type Role } from '../../../../core/caller';
import { USERS } from '../../../accounts/server/users/account';
import type { Database, Dialect } from '../../../objects/server/database/database';
import { raw, sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { ChangeMade, ConsequenceContext } from '../../../objects/server/define/declaration';
import { LINKS, STRAPI } from './tables';

/** The codes of the panel roles that belong to the roles of the API; whoever has none does not come in. */
export const PANEL_ROLES: Readonly<Record<Role, string | null>> = {
  anonymous: null,
  user: null,
  moderator: 'oms-moderator',
  administrator: 'oms-administrator',
};

const PANEL_USERS = raw(STRAPI.users);
const USERS_ROLES = raw(STRAPI.usersRoles);
const SESSIONS = raw(STRAPI.sessions);

/** The panel user of an account, as it is now. */
export interface LinkedUser {
  /** The number of the panel user. */
  readonly panelUser: number;
  readonly isActive: boolean;
}

/** What the panel shows of an account. */
interface Shown {
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly code: string | null;
}

/**
 * Makes the panel user what its account is, and ends its sessions when it is not active any more.
 *
 * @returns null for an account that has none, or that is gone and has taken it along
 */
export function* syncPanelUser(dialect: Dialect, account: string): Work<LinkedUser | null> {
  const link = yield* askOne(sql`select panel_user from ${LINKS} where account = ${account}`);
  if (!link) return null;
  const panelUser = Number(link[0]);
  // Locked: a change of the account that is under way is waited for.
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

/** What refers to the row goes, or is emptied, with it: Strapi's foreign keys say so. */
function* remove(panelUser: number): Work<void> {
  yield* endPanelSessions(panelUser);
  yield* ask(sql`delete from ${LINKS} where panel_user = ${panelUser}`);
  yield* ask(sql`delete from ${PANEL_USERS} where id = ${panelUser}`);
}

/** Ends the sessions of a panel user, but for one. */
function* endPanelSessions(panelUser: number, except: string | null = null): Work<void> {
  yield* ask(
    sql`delete from ${SESSIONS} where origin = 'admin' and user_id = ${String(panelUser)}
      and session_id <> ${except ?? ''}`,
  );
}

/** What a change of an account means for its panel user, in the transaction of the change. */
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
 * Whom a panel user stands for.
 *
 * @param session that the request came with
 * @returns null for one that the operator has made through Strapi; nobody, where the account is gone
 *   or blocked
 */
export async function accountBehind(
  database: Database,
  panelUser: number,
  session: string | null,
): Promise<Caller | null> {
  const [row] = await database.read(
    sql`select t.account, u.name, u.account_role, case when u.blocked is true then 1 else 0 end
      from ${LINKS} t left join ${USERS} u on u.document_id = t.account
      where t.panel_user = ${panelUser}`,
  );
  if (!row) return null;
  const [id, name, role, isBlocked] = row;
  const isAlive = typeof role === 'string' && Number(isBlocked) !== 1;
  return local({
    role: isAlive ? (role as Role) : 'anonymous',
    id: String(id),
    session,
    actor: { kind: 'user', name: typeof name === 'string' ? name : null },
  });
}

/** Whether a panel user belongs to an account of the service. */
export async function isLinked(database: Database, panelUser: number): Promise<boolean> {
  const rows = await database.read(sql`select 1 from ${LINKS} where panel_user = ${panelUser}`);
  return rows.length > 0;
}
