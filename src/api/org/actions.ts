/** Joining and leaving an org, and the decisions of its managers about requests and members. */
import { fail, issue, malformed } from '../../core/errors';
import type { Caller } from '../../core/caller';
import { USERS } from '../../plugins/accounts/server/users/account';
import { sql } from '../../plugins/objects/server/database/sql';
import { askOne } from '../../plugins/objects/server/database/work';
import type { PlainAction } from '../../plugins/objects/server/declare/behavior';
import { assigned, joined, left } from './domain/membership';

const REFUSALS = ['STATE_CONFLICT'] as const;

/** The caller's account. @throws ApiError NOT_PERMITTED for a caller without one */
function accountOf({ id }: Caller): string {
  if (id === null) throw fail('NOT_PERMITTED', {});
  return id;
}

const join: PlainAction = {
  summary: 'Ask to join an org',
  body: {},
  refusals: [...REFUSALS, 'NOT_PERMITTED'],
  *plan(org, _, { caller }) {
    return { ...joined(org, accountOf(caller)) };
  },
};

const leave: PlainAction = {
  summary: 'Leave an org, or take back the request to join it',
  body: {},
  refusals: [...REFUSALS, 'NOT_PERMITTED'],
  *plan(org, _, { caller }) {
    return { ...left(org, accountOf(caller)) };
  },
};

const member: PlainAction = {
  summary: 'Accept, promote, demote, remove or decline a user, as a manager of an org',
  body: {
    user: {
      kind: 'uuid',
      required: true,
      description: 'Who has asked to join, or is a member.',
    },
    role: {
      kind: 'choice',
      choices: ['member', 'manager'],
      present: true,
      description: 'What the user becomes; null removes or declines.',
    },
  },
  refusals: REFUSALS,
  *plan(org, { user, role = null }, { dialect }) {
    const id = String(user);
    const found = yield* askOne(
      sql`select 1 from ${USERS} where document_id = ${id}${dialect.forKeyShare}`,
    );
    if (!found) throw malformed([issue('user', 'NO_SUCH', { type: 'user' })]);
    return { ...assigned(org, id, role as 'member' | 'manager' | null) };
  },
};

export const actions = { join, leave, member };
