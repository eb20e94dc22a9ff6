/** The membership of an org as pure functions over its lists. */
import { fail } from '../../../core/errors';
import type { MemberRole } from '../../../plugins/objects/server/declare/relations';

type Org = Readonly<Record<string, unknown>>;

/** The lists of an org. Every manager is a member, and the owner a manager. */
export interface Lists {
  readonly managers: readonly string[];
  readonly members: readonly string[];
  readonly join_requests: readonly string[];
}

/** The lists of an org, in the order in which people came. */
export const listsOf = (org: Org): Lists => ({
  managers: org['managers'] as readonly string[],
  members: org['members'] as readonly string[],
  join_requests: org['join_requests'] as readonly string[],
});

/** What a user is to an org, or `none`. */
export function roleIn({ managers, members, join_requests }: Lists, user: string) {
  if (managers.includes(user)) return 'manager';
  if (members.includes(user)) return 'member';
  return join_requests.includes(user) ? 'requested' : 'none';
}

/** The role of every user of an org, in the order in which they joined. */
export const rolesIn = (lists: Lists): ReadonlyMap<string, MemberRole> =>
  new Map<string, MemberRole>([
    ...lists.join_requests.map((id): [string, MemberRole] => [id, 'requested']),
    ...lists.members.map((id): [string, MemberRole] => [id, 'member']),
    ...lists.managers.map((id): [string, MemberRole] => [id, 'manager']),
  ]);

/** The lists after a user's role is changed or removed. A new user is added at the end. */
export function withRole(lists: Lists, user: string, role: MemberRole | null): Lists {
  const belongs = role === 'member' || role === 'manager';
  return {
    managers: listed(lists.managers, user, role === 'manager'),
    members: listed(lists.members, user, belongs),
    join_requests: listed(lists.join_requests, user, role === 'requested'),
  };
}

function listed(list: readonly string[], user: string, isIn: boolean): readonly string[] {
  if (list.includes(user) === isIn) return list;
  return isIn ? [...list, user] : list.filter((id) => id !== user);
}

/** A user asks to join. @throws ApiError STATE_CONFLICT for a user who has asked already or is a member */
export function joined(org: Org, user: string): Lists {
  const lists = listsOf(org);
  const role = roleIn(lists, user);
  if (role !== 'none') throw fail('STATE_CONFLICT', { state: role });
  return withRole(lists, user, 'requested');
}

/**
 * A user leaves, or withdraws the request. @throws ApiError STATE_CONFLICT for a user who is neither, and for the owner
 */
export const left = (org: Org, user: string): Lists => assigned(org, user, null);

/**
 * A manager accepts, promotes, demotes, removes or declines a user.
 *
 * @param role null removes or declines
 * @throws ApiError STATE_CONFLICT for a user who has not asked and is no member, and for the owner, who stays a manager
 */
export function assigned(org: Org, user: string, role: 'member' | 'manager' | null): Lists {
  const lists = listsOf(org);
  const present = roleIn(lists, user);
  if (present === 'none') throw fail('STATE_CONFLICT', { state: 'none' });
  if (org['owner'] === user && role !== 'manager') throw fail('STATE_CONFLICT', { state: 'owner' });
  return withRole(lists, user, role);
}
