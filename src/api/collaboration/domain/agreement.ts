/**
 * What becomes of a collaboration when one of its two sides asks for something: pure.
 *
 * The one who asks is `from`. The other accepts or declines, `from` takes the request back, either ends what has been
 * accepted. Less is given at once, by either; for more the other side has to ask for the same.
 */

export type State = 'pending' | 'accepted' | 'declined' | 'ended';
export type Side = 'from' | 'to';
export type Level = 'view' | 'edit';

export interface Agreement {
  readonly state: State;
  readonly level: Level;
  /** Which side has asked for the level `edit`, and waits. */
  readonly requestedBy: Side | null;
}

/** What a side asks for. */
export interface Asked {
  readonly state?: State;
  readonly level?: Level;
}

/** Refused because it is the other side's to say, or because of the present state. */
export type Refusal = 'side' | 'state';

/** Which sides may take an agreement from a state to another one. */
export const TRANSITIONS: Readonly<
  Record<State, Readonly<Partial<Record<State, readonly Side[]>>>>
> = {
  pending: { accepted: ['to'], declined: ['to'], ended: ['from'] },
  accepted: { ended: ['from', 'to'] },
  declined: {},
  ended: {},
};

/** Whether nothing can be asked for any more. */
export const isDecided = (state: State): boolean => Object.keys(TRANSITIONS[state]).length === 0;

/** The agreement after a side has asked for something. */
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

/** Whoever asks may ask for less. More would be granted by somebody who has read of less. */
function withLevelOfRequest(present: Agreement, level: Level, side: Side): Agreement | Refusal {
  if (level === present.level) return present;
  if (side === 'to') return 'side';
  return level === 'view' ? { ...present, level } : 'state';
}

function withLevel(present: Agreement, level: Level, side: Side): Agreement {
  // Less at once; where there is no less, it answers the wish for more.
  if (level === 'view') return { ...present, level, requestedBy: null };
  if (present.level === 'edit') return present;
  const isGranted = present.requestedBy !== null && present.requestedBy !== side;
  return isGranted ? { ...present, level, requestedBy: null } : { ...present, requestedBy: side };
}
