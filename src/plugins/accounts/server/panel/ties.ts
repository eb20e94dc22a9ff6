/**
 * The panel account behind an account: it shows what the account is, and is open as long as the
 * account may come in. Both follow in the transaction in which the account changes, so that nothing
 * can come between.
 */
import type { Database, Dialect } from '../../../objects/server/database/database';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { ChangeMade } from '../../../objects/server/define/declaration';
import type { WriteContext } from '../../../objects/server/write/context';
import type { Caller, Role } from '../caller';
import { USERS } from '../users/account';
import { STRAPI, TIES } from './tables';

/** The codes of the panel roles that belong to the roles of the API; whoever has none does not come in. */
export const PANEL_ROLES: Readonly<Record<Role, string | null>> = {
  anonymous: null,
  user: null,
  moderator: 'oms-moderator',
  administrator: 'oms-administrator',
};

/** The panel account of an account, as it is now. */
export interface Tied {
  /** The number of the panel account. */
  readonly panelUser: number;
  readonly isOpen: boolean;
}

/** What the panel shows of an account. */
interface Shown {
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly code: string | null;
}

const TIE = `select panel_user from ${TIES} where account = ?`;

const ACCOUNT = `select name, email, username, account_role,
    case when blocked is true then 1 else 0 end
  from ${USERS} where document_id = ?`;

/**
 * Makes the panel account what its account is, and ends its sessions when it is closed.
 *
 * @returns null for an account that has none, or that is gone and has taken it along
 */
export function* follow(dialect: Dialect, account: string): Work<Tied | null> {
  const tie = yield* askOne(TIE, [account]);
  if (!tie) return null;
  const panelUser = Number(tie[0]);
  // Locked: a change of the account that is under way is waited for.
  const row = yield* askOne(`${ACCOUNT}${dialect.forUpdate(USERS)}`, [account]);
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
  return { panelUser, isOpen: code !== null };
}

const SHOW = `update ${STRAPI.users}
  set firstname = ?, lastname = null, email = ?, username = ?, is_active = ? where id = ?`;

const ROLES = `select r.code from ${STRAPI.usersRoles} l
  join ${STRAPI.roles} r on r.id = l.role_id where l.user_id = ?`;

const GIVE_ROLE = `insert into ${STRAPI.usersRoles} (user_id, role_id, role_ord, user_ord)
  select u.id, r.id, 1, 1 from ${STRAPI.users} u, ${STRAPI.roles} r where u.id = ? and r.code = ?`;

function* show(
  dialect: Dialect,
  panelUser: number,
  { name, email, username, code }: Shown,
): Work<void> {
  yield* ask(SHOW, [name, email, username, dialect.boolean(code !== null), panelUser]);
  const codes = (yield* ask(ROLES, [panelUser])).map(([held]) => held);
  if (code === null ? codes.length === 0 : codes.length === 1 && codes[0] === code) return;
  yield* ask(`delete from ${STRAPI.usersRoles} where user_id = ?`, [panelUser]);
  if (code !== null) yield* ask(GIVE_ROLE, [panelUser, code]);
}

/** What refers to the row goes, or is emptied, with it: Strapi's foreign keys say so. */
function* remove(panelUser: number): Work<void> {
  yield* endPanelSessions(panelUser);
  yield* ask(`delete from ${TIES} where panel_user = ?`, [panelUser]);
  yield* ask(`delete from ${STRAPI.users} where id = ?`, [panelUser]);
}

const END_SESSIONS = `delete from ${STRAPI.sessions}
  where origin = 'admin' and user_id = ? and session_id <> ?`;

/** Ends the sessions of a panel account, but for one. */
function* endPanelSessions(panelUser: number, except: string | null = null): Work<void> {
  yield* ask(END_SESSIONS, [String(panelUser), except ?? '']);
}

/** What a change of an account means for its panel account, in the transaction of the change. */
export function* followInPanel(
  { before, after, id }: ChangeMade,
  { model, caller }: WriteContext,
): Work<void> {
  if (before === null) return;
  const tied = yield* follow(model.database.dialect, id);
  if (tied === null || after === null) return;
  const isOwn = caller.id === id;
  if (before['password'] !== after['password'])
    yield* endPanelSessions(tied.panelUser, isOwn ? caller.session : null);
}

const BEHIND = `select t.account, u.name, u.account_role,
    case when u.blocked is true then 1 else 0 end
  from ${TIES} t left join ${USERS} u on u.document_id = t.account where t.panel_user = ?`;

/**
 * Whom a panel account stands for.
 *
 * @param session that the request came with
 * @returns null for one that the operator has made through Strapi; nobody, where the account is gone
 *   or blocked
 */
export async function callerBehind(
  database: Database,
  panelUser: number,
  session: string | null,
): Promise<Caller | null> {
  const [row] = await database.read(BEHIND, [panelUser]);
  if (!row) return null;
  const [id, name, role, isBlocked] = row;
  const isAlive = typeof role === 'string' && Number(isBlocked) !== 1;
  return {
    role: isAlive ? (role as Role) : 'anonymous',
    id: String(id),
    session,
    actor: { kind: 'user', name: typeof name === 'string' ? name : null },
  };
}

/** Whether a panel account belongs to an account of the service. */
export async function isTied(database: Database, panelUser: number): Promise<boolean> {
  const rows = await database.read(`select 1 from ${TIES} where panel_user = ?`, [panelUser]);
  return rows.length > 0;
}
