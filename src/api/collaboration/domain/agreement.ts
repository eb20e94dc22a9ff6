/**
 * The states of a collaboration and the requests of its two sides, as pure functions.
 *
 * `from` is the side that asked for the collaboration, `to` the side that accepts or declines it. `from` may withdraw
 * the request; either side may end an accepted collaboration. A request for a lower level takes effect at once; a
 * request for a higher level needs the consent of the other side.
 */

import type { Level } from '../../../plugins/objects/server/declare/relations';

export type AgreementState = 'pending' | 'accepted' | 'declined' | 'ended';
export type Side = 'from' | 'to';

export interface Agreement {
  readonly state: AgreementState;
  readonly level: Level;
  /** The side that has asked for the level `edit` and waits for consent. */
  readonly requestedBy: Side | null;
}

/** The request of one side. */
export interface Asked {
  readonly state?: AgreementState;
  readonly level?: Level;
}

/** Why a request is refused: only the other side may make it, or the present state does not allow it. */
export type AgreementRefusal = 'side' | 'state';

/** The transitions between states, with the sides that may make them. */
export const AGREEMENT_TRANSITIONS: Readonly<
  Record<AgreementState, Readonly<Partial<Record<AgreementState, readonly Side[]>>>>
> = {
  pending: { accepted: ['to'], declined: ['to'], ended: ['from'] },
  accepted: { ended: ['from', 'to'] },
  declined: {},
  ended: {},
};

/** Whether the state is final. */
export const isDecided = (state: AgreementState): boolean =>
  Object.keys(AGREEMENT_TRANSITIONS[state]).length === 0;

/** The agreement after the request of one side. */
export function answered(
  present: Agreement,
  { state, level }: Asked,
  side: Side,
): Agreement | AgreementRefusal {
  if (state === undefined && level === undefined) return present;
  if (isDecided(present.state)) return 'state';
  const moved = state === undefined ? present : withState(present, state, side);
  if (typeof moved === 'string' || level === undefined || isDecided(moved.state)) return moved;
  return moved.state === 'pending'
    ? withLevelOfRequest(moved, level, side)
    : withLevel(moved, level, side);
}

function withState(
  present: Agreement,
  state: AgreementState,
  side: Side,
): Agreement | AgreementRefusal {
  if (state === present.state) return present;
  const sides = AGREEMENT_TRANSITIONS[present.state][state];
  if (!sides) return 'state';
  return sides.includes(side) ? { ...present, state, requestedBy: null } : 'side';
}

/**
 * `from` may lower the requested level. It may not raise it: `to` may already have read the request and be about to
 * accept.
 */
function withLevelOfRequest(
  present: Agreement,
  level: Level,
  side: Side,
): Agreement | AgreementRefusal {
  if (level === present.level) return present;
  if (side === 'to') return 'side';
  return level === 'view' ? { ...present, level } : 'state';
}

function withLevel(present: Agreement, level: Level, side: Side): Agreement {
  // Lowers the level at once; a pending request for more ends, whichever side made it.
  if (level === 'view') return { ...present, level, requestedBy: null };
  if (present.level === 'edit') return present;
  const isGranted = present.requestedBy !== null && present.requestedBy !== side;
  return isGranted ? { ...present, level, requestedBy: null } : { ...present, requestedBy: side };
}
