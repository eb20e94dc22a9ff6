import { fail, issue } from '../../../core/errors';
import type { Rule, Transition } from '../../../plugins/objects/server/declare/behavior';
import { answered, isDecided, type Agreement, type Asked, type AgreementState } from './agreement';

type Collaboration = Readonly<Record<string, unknown>>;

/** The key of a pair of users, whichever of them asked; null in a final state, so that a new request is possible. */
export const pairKey = ({ from, to, state }: Collaboration): string | null =>
  typeof from === 'string' && typeof to === 'string' && !isDecided(state as AgreementState)
    ? [from, to].sort().join(':')
    : null;

/** A user cannot collaborate with itself. */
export const withAnother: Rule = {
  fields: ['user'],
  *check(_, { before, caller, given }) {
    if (before !== null) return [];
    if (caller.id === null) throw fail('NOT_PERMITTED', {});
    return given['user'] === caller.id ? [issue('user', 'CONFLICT', { with: 'from' })] : [];
  },
};

/**
 * The transition of an update: what the caller may decide takes effect, the rest becomes a request to the other side.
 */
export const agreed: Transition = (before, after, { caller, given }) => {
  const { from, to } = before;
  const side = caller.id === from ? 'from' : 'to';
  const requestedBy = before['requested_by'] === null ? null : sideOf(before['requested_by'], from);
  const present = { state: before['state'], level: before['level'], requestedBy } as Agreement;
  const asked = Object.fromEntries(
    ['state', 'level'].filter((name) => name in given).map((name) => [name, after[name]]),
  ) as Asked;
  const next = answered(present, asked, side);
  if (next === 'side') throw fail('NOT_PERMITTED', {});
  if (next === 'state') throw fail('STATE_CONFLICT', { state: present.state });
  const people = { from, to };
  return {
    ...after,
    state: next.state,
    level: next.level,
    requested_level: next.requestedBy === null ? null : 'edit',
    requested_by: next.requestedBy === null ? null : people[next.requestedBy],
  };
};

const sideOf = (user: unknown, from: unknown) => (user === from ? 'from' : 'to');
