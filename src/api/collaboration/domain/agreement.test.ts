import type { Level } from '../../../plugins/objects/server/declare/relations';
import {
  answered,
  type Agreement,
  type Asked,
  type AgreementRefusal,
  type Side,
  type AgreementState,
} from './agreement';

const STATES: readonly AgreementState[] = ['pending', 'accepted', 'declined', 'ended'];
const SIDES: readonly Side[] = ['from', 'to'];
const LEVELS: readonly Level[] = ['view', 'edit'];

/** An agreement and a request in one line: `pending edit`, `accepted view +from`. */
const line = (outcome: Agreement | AgreementRefusal): string =>
  typeof outcome === 'string'
    ? outcome
    : [
        outcome.state,
        outcome.level,
        ...(outcome.requestedBy === null ? [] : [`+${outcome.requestedBy}`]),
      ].join(' ');

/** By the present agreement and the request: the agreement after a request of `from`, and after one of `to`. */
const STATE_TABLE: Readonly<
  Record<AgreementState, Readonly<Record<AgreementState, readonly [string, string]>>>
> = {
  pending: {
    pending: ['pending', 'pending'],
    accepted: ['side', 'accepted'],
    declined: ['side', 'declined'],
    ended: ['ended', 'side'],
  },
  accepted: {
    pending: ['state', 'state'],
    accepted: ['accepted', 'accepted'],
    declined: ['state', 'state'],
    ended: ['ended', 'ended'],
  },
  declined: {
    pending: ['state', 'state'],
    accepted: ['state', 'state'],
    declined: ['state', 'state'],
    ended: ['state', 'state'],
  },
  ended: {
    pending: ['state', 'state'],
    accepted: ['state', 'state'],
    declined: ['state', 'state'],
    ended: ['state', 'state'],
  },
};

const cells = STATES.flatMap((state) =>
  STATES.flatMap((asked) =>
    SIDES.flatMap((side, column) =>
      LEVELS.map(
        (level) => [state, level, asked, side, STATE_TABLE[state][asked][column] ?? ''] as const,
      ),
    ),
  ),
);

test.each(cells)('%s %s: %s by %s is %s', (state, level, asked, side, expected) => {
  const outcome = line(answered({ state, level, requestedBy: null }, { state: asked }, side));
  expect(outcome).toBe(
    expected === 'state' || expected === 'side' ? expected : `${expected} ${level}`,
  );
});

/** The present agreement, the request, and the agreement after a request of `from`, and after one of `to`. */
const LEVEL_TABLE: readonly [present: string, asked: Asked, from: string, to: string][] = [
  ['pending view', { level: 'view' }, 'pending view', 'pending view'],
  ['pending view', { level: 'edit' }, 'state', 'side'],
  ['pending edit', { level: 'view' }, 'pending view', 'side'],
  ['pending edit', { level: 'edit' }, 'pending edit', 'pending edit'],
  ['pending edit', { state: 'accepted', level: 'view' }, 'side', 'accepted view'],
  ['pending view', { state: 'accepted', level: 'edit' }, 'side', 'accepted view +to'],
  ['pending view', { state: 'declined', level: 'edit' }, 'side', 'declined view'],
  ['accepted edit', { level: 'view' }, 'accepted view', 'accepted view'],
  ['accepted edit', { level: 'edit' }, 'accepted edit', 'accepted edit'],
  ['accepted view', { level: 'view' }, 'accepted view', 'accepted view'],
  ['accepted view', { level: 'edit' }, 'accepted view +from', 'accepted view +to'],
  ['accepted view +from', { level: 'edit' }, 'accepted view +from', 'accepted edit'],
  ['accepted view +to', { level: 'edit' }, 'accepted edit', 'accepted view +to'],
  ['accepted view +from', { level: 'view' }, 'accepted view', 'accepted view'],
  ['accepted view +to', { level: 'view' }, 'accepted view', 'accepted view'],
  ['accepted view +from', { state: 'accepted' }, 'accepted view +from', 'accepted view +from'],
  ['accepted view +from', { state: 'ended' }, 'ended view', 'ended view'],
  ['declined view', { level: 'view' }, 'state', 'state'],
  ['ended edit', { level: 'view' }, 'state', 'state'],
  ['ended edit', {}, 'ended edit', 'ended edit'],
];

function parsed(text: string): Agreement {
  const [state, level, by] = text.split(' ');
  return {
    state: state as AgreementState,
    level: level as Level,
    requestedBy: (by?.slice(1) ?? null) as Side | null,
  };
}

test.each(LEVEL_TABLE)('%s: %j is %s by from, %s by to', (present, asked, from, to) => {
  expect(line(answered(parsed(present), asked, 'from'))).toBe(from);
  expect(line(answered(parsed(present), asked, 'to'))).toBe(to);
});
