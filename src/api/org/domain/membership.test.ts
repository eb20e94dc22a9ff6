import { ApiError } from '../../../core/errors';
import { assigned, joined, left, listsOf, rolesIn } from './membership';

const ORG = {
  owner: 'owner',
  managers: ['owner', 'manager'],
  members: ['owner', 'member', 'manager'],
  join_requests: ['requested'],
};

/** The changed lists, or the state that refuses. */
function outcome(change: () => unknown): unknown {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'STATE_CONFLICT') throw error;
    return error.args['state'];
  }
}

const [managers, members, join_requests] = [ORG.managers, ORG.members, ORG.join_requests];

test.each<[string, unknown]>([
  ['none', { managers, members, join_requests: ['requested', 'none'] }],
  ['requested', 'requested'],
  ['member', 'member'],
  ['manager', 'manager'],
  ['owner', 'manager'],
])('%s asks to join', (user, expected) => {
  expect(outcome(() => joined(ORG, user))).toEqual(expected);
});

const GONE: Readonly<Record<string, unknown>> = {
  none: 'none',
  requested: { managers, members, join_requests: [] },
  member: { managers, members: ['owner', 'manager'], join_requests },
  manager: { managers: ['owner'], members: ['owner', 'member'], join_requests },
  owner: 'owner',
};

test.each(Object.entries(GONE))('%s leaves, or is removed', (user, expected) => {
  expect(outcome(() => left(ORG, user))).toEqual(expected);
  expect(outcome(() => assigned(ORG, user, null))).toEqual(expected);
});

test.each<[string, unknown]>([
  ['none', 'none'],
  ['requested', { managers, members: [...members, 'requested'], join_requests: [] }],
  ['member', { managers, members, join_requests }],
  ['manager', { managers: ['owner'], members, join_requests }],
  ['owner', 'owner'],
])('%s is made a member', (user, expected) => {
  expect(outcome(() => assigned(ORG, user, 'member'))).toEqual(expected);
});

test.each<[string, unknown]>([
  ['none', 'none'],
  [
    'requested',
    {
      managers: [...managers, 'requested'],
      members: [...members, 'requested'],
      join_requests: [],
    },
  ],
  ['member', { managers: [...managers, 'member'], members, join_requests }],
  ['manager', { managers, members, join_requests }],
  ['owner', { managers, members, join_requests }],
])('%s is made a manager', (user, expected) => {
  expect(outcome(() => assigned(ORG, user, 'manager'))).toEqual(expected);
});

test('everybody has one role, and members come in their order', () => {
  expect([...rolesIn(listsOf(ORG))]).toEqual([
    ['requested', 'requested'],
    ['owner', 'manager'],
    ['member', 'member'],
    ['manager', 'manager'],
  ]);
});
