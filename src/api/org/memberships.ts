/**
 * The table of memberships, which stores the lists of orgs: `org` and `account` are row IDs, `since` is the time from
 * which the role applies, in milliseconds since 1970. The order of the rows is the order in which users joined.
 */
import { USERS } from '../../plugins/accounts/server/users/account';
import { join, raw, sql } from '../../plugins/objects/server/database/sql';
import { ask, type Row, type Work } from '../../plugins/objects/server/database/work';
import type {
  ChangeMade,
  ConsequenceContext,
  BeforeDelete,
} from '../../plugins/objects/server/declare/behavior';
import type { ListDeclaration } from '../../plugins/objects/server/declare/declaration';
import {
  recordAll,
  type FieldChange,
  type Recorded,
} from '../../plugins/objects/server/write/history-entries';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { listsOf, rolesIn } from './domain/membership';

const ORGS = raw('orgs');

/** The roles of members. */
const BELONGING = raw(`('member', 'manager')`);

/** The lists of an org. */
export const MEMBERS: ListDeclaration = {
  isOwn: true,
  rows: (row) =>
    sql`select account as id, id as place from oms_memberships where org = ${row} and role in ${BELONGING}`,
};
export const MANAGERS: ListDeclaration = {
  isOwn: true,
  rows: (row) =>
    sql`select account as id, since as place from oms_memberships where org = ${row} and role = 'manager'`,
};
export const JOIN_REQUESTS: ListDeclaration = {
  isOwn: true,
  isQuiet: true,
  rows: (row) =>
    sql`select account as id, id as place from oms_memberships where org = ${row} and role = 'requested'`,
};

/** The orgs of a user. */
export const ORGANIZATIONS: ListDeclaration = {
  rows: (row) =>
    sql`select org as id, id as place from oms_memberships where account = ${row} and role in ${BELONGING}`,
};

/** Writes the rows by which the lists of an org have changed. */
export function* keepMembers(
  { before, after, rowId }: ChangeMade,
  { now }: ConsequenceContext,
): Work<void> {
  if (after === null) {
    yield* ask(sql`delete from oms_memberships where org = ${rowId}`);
    return;
  }
  const [was, is] = [rolesOf(before), rolesOf(after)];
  for (const [user, role] of was) {
    // A user who is accepted is listed after the present members.
    const isAccepted = role === 'requested' && is.get(user) !== 'requested';
    if (!is.has(user) || isAccepted)
      yield* ask(
        sql`delete from oms_memberships where org = ${rowId}
          and account = (select id from ${USERS} where document_id = ${user})`,
      );
  }
  for (const [user, role] of is) {
    const present = was.get(user);
    if (present === role) continue;
    if (present === undefined || present === 'requested')
      yield* ask(
        sql`insert into oms_memberships (org, account, role, since)
          select ${rowId}, id, ${role}, ${now} from ${USERS} where document_id = ${user}`,
      );
    else
      yield* ask(
        sql`update oms_memberships set role = ${role}, since = ${now} where org = ${rowId}
          and account = (select id from ${USERS} where document_id = ${user})`,
      );
  }
}

const rolesOf = (org: Body | null) =>
  org ? rolesIn(listsOf(org)) : rolesIn({ managers: [], members: [], join_requests: [] });

/** Which of these orgs a user belongs to, by their IDs. */
export function* orgsOf(user: string, orgs: readonly string[]): Work<ReadonlySet<string>> {
  if (orgs.length === 0) return new Set();
  const rows = yield* ask(
    sql`select g.document_id from oms_memberships m
      join ${ORGS} g on g.id = m.org join ${USERS} u on u.id = m.account
      where u.document_id = ${user} and m.role in ${BELONGING}
      and g.document_id in (${join(orgs.map((id) => sql`${id}`))})`,
  );
  return new Set(rows.map(([id]) => String(id)));
}

/** The number of orgs in a set. */
const CHUNK = 500;

/**
 * A user who is going to be deleted leaves all orgs, each a change of the org. One of its own passes to its
 * longest-standing manager, and has no owner where there is none.
 */
export const leaveOrgs: BeforeDelete = function* ({ rowId }, context) {
  const { dialect, now, newId, caller } = context;
  const place = raw(String(CHUNK));
  const some = sql`select id from oms_memberships where account = ${rowId} order by id limit ${place}`;
  const theirs = sql`select m.org from oms_memberships m where m.id ${dialect.among(some)}`;
  for (;;) {
    // Locked by a statement of its own: one that waits for a lock sees other tables as they were before.
    yield* ask(
      sql`select o.id from ${ORGS} o where o.id ${dialect.among(theirs)} order by o.id${dialect.forUpdate('o')}`,
    );
    const heir = sql`select h.account from oms_memberships h where h.org = o.id and h.role = 'manager'
      and h.account <> ${rowId} order by h.since, h.id limit 1`;
    const leaving = yield* ask(
      sql`select m.id, o.id, m.role, o.member_count, case when o.owner_id = ${rowId} then 1 else 0 end,
          (${heir}), (select u.document_id from ${USERS} u where u.id = (${heir}))
        from oms_memberships m join ${ORGS} o on o.id = m.org where m.id ${dialect.among(some)}`,
    );
    if (leaving.length > 0) {
      const changed = yield* leave(leaving, context);
      const head = { type: 'org', at: now, action: 'update', caller } as const;
      const entries = leaving.flatMap((row): Recorded[] => {
        const org = changed.get(Number(row[1]));
        if (!org) return [];
        const mentions = row[4] === 1 && row[6] !== null ? [String(row[6])] : [];
        return [[head, { id: newId(), ...org, changes: changesOf(row), mentions }]];
      });
      yield* recordAll(entries, dialect);
    }
    if (leaving.length < CHUNK) return;
  }
};

/** Takes the rows off and changes the orgs. @returns ID and version of each, by its row */
function* leave(
  leaving: readonly Row[],
  { dialect, now }: ConsequenceContext,
): Work<ReadonlyMap<number, { object: string; version: number }>> {
  const next = leaving.map(([row, org, role, count, isOwner, heir]) => [
    row,
    org,
    Number(count) - (role === 'requested' ? 0 : 1),
    // A request that goes is no change of the org for anybody else.
    role === 'requested' ? 0 : 1,
    isOwner,
    heir,
  ]);
  const rows = dialect.jsonRows(sql`${JSON.stringify(next)}`, [
    { name: 'membership', type: 'integer' },
    { name: 'org', type: 'integer' },
    { name: 'count', type: 'integer' },
    { name: 'steps', type: 'integer' },
    { name: 'is_owner', type: 'integer' },
    { name: 'heir', type: 'integer' },
  ]);
  const memberships = dialect.among(sql`select r.membership from ${rows}`);
  yield* ask(sql`delete from oms_memberships where id ${memberships}`);
  const changed = yield* ask(
    sql`update ${ORGS} set version = version + r.steps,
        updated_at = case when r.steps = 1 then ${dialect.instant(now)} else updated_at end,
        member_count = r.count,
        owner_id = case when r.is_owner = 1 then r.heir else owner_id end
      from ${rows} where ${ORGS}.id = r.org
      returning ${ORGS}.id, document_id, version`,
  );
  return new Map(
    changed.map(([id, object, version]) => [
      Number(id),
      { object: String(object), version: Number(version) },
    ]),
  );
}

/** What changes of an org when somebody leaves whose ID must not be kept. */
function changesOf([, , role, count, isOwner, , heir]: Row): FieldChange[] {
  const lost = (path: string): FieldChange => ({ path, before: [null], after: [] });
  if (role === 'requested') return [lost('join_requests')];
  return [
    ...(isOwner === 1 ? [{ path: 'owner', before: null, after: heir ?? null }] : []),
    ...(role === 'manager' ? [lost('managers')] : []),
    lost('members'),
    { path: 'member_count', before: Number(count), after: Number(count) - 1 },
  ];
}
