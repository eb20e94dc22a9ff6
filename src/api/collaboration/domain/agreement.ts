/**
 * The states of a collaboration and the requests of its two sides, as pure functions.
 *
 * `from` is the side that asked for the collaboration, `to` the side that accepts or declines it. `from` may withdraw
 * the request; either side may end an accepted collaboration. A request for a lower level takes effect at once; a
 * request for a higher level needs the consent of the other side.
 */

export type State = 'pending' | 'accepted' | 'declined' | 'ended';
export type Side = 'from' | 'to';
export type Level = 'view' | 'edit';

export interface Agreement {
  readonly state: State;
  readonly level: Level;
  /** The side that has asked for the level `edit` and waits for consent. */
  readonly requestedBy: Side | null;
}

/** The request of one side. */
export interface Asked {
  readonly state?: State;
  readonly level?: Level;
}

/** Why a request is refused: only the other side may make it, or the present state does not allow it. */
export type Refusal = 'side' | 'state';

/** The transitions between states, with the sides that may make them. */
export const TRANSITIONS: Readonly<
  Record<State, Readonly<Partial<Record<State, readonly Side[]>>>>
> = {
  pending: { accepted: ['to'], declined: ['to'], ended: ['from'] },
  accepted: { ended: ['from', 'to'] },
  declined: {},
  ended: {},
};

/** Whether the state is final. */
export const isDecided = (state: State): boolean => Object.keys(TRANSITIONS[state]).length === 0;

/** The agreement after the request of one side. */
export function answer(
  present: Agreement,
  { state, level }: Asked,
  side: Side,
): Agreement | Refusal {
  if (state === undefined && level === undefined) return present;
  if (isDecided(present.state)) return 'state';
  const moved = state === undefined ? present : withState(present, state, side);
  if (typeof moved === 'string' || level === undefined || isDecided(moved.state)) return moved;
  return moved.state === 'pending'
    ? withLevelOfRequest(moved, level, side)
    : withLevel(moved, level, side);
}

function withState(present: Agreement, state: State, side: Side): Agreement | Refusal {
  if (state === present.state) return present;
  const sides = TRANSITIONS[present.state][state];
  if (!sides) return 'state';
  return sides.includes(side) ? { ...present, state, requestedBy: null } : 'side';
}

/**
 * `from` may lower the requested level. It may not raise it: `to` may already have read the request and be about to
 * accept.
 */
function withLevelOfRequest(present: Agreement, level: Level, side: Side): Agreement | Refusal {
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
