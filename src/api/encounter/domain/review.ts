/** The review of encounters: which state may follow which, by who asks. Pure. */
import type { Caller } from '../../../core/caller';
import { fail } from '../../../core/errors';
import { isPrivileged } from '../../../plugins/objects/server/declare/row';

export type ReviewState = 'pending' | 'approved' | 'rejected';
/** Who reviews: a moderator or administrator, or the owner. One person may be both. */
type Reviewer = 'moderator' | 'owner';
type Encounter = Readonly<Record<string, unknown>>;

/** The states to which each may set an encounter, by its present state. */
export const REVIEW_TRANSITIONS: Readonly<
  Record<Reviewer, Readonly<Record<ReviewState, readonly ReviewState[]>>>
> = {
  moderator: { pending: ['approved', 'rejected'], approved: ['rejected'], rejected: ['approved'] },
  owner: { pending: [], approved: [], rejected: ['pending'] },
};

/** The states in which a reviewer may do something. */
export const statesOpenTo = (reviewer: Reviewer): readonly ReviewState[] =>
  (Object.entries(REVIEW_TRANSITIONS[reviewer]) as [ReviewState, readonly ReviewState[]][]).flatMap(
    ([state, next]) => (next.length > 0 ? state : []),
  );

/** What a caller is to an encounter, the most powerful first. */
const reviewersIn = ({ owner }: Encounter, { id, role }: Caller): readonly Reviewer[] => [
  ...(isPrivileged(role) ? (['moderator'] as const) : []),
  ...(id !== null && owner === id ? (['owner'] as const) : []),
];

/** The last review that a caller made of an encounter. */
export interface OwnReview {
  /** The version that it answered. */
  readonly version: number;
  /** The state and the note that stood before it. */
  readonly state: ReviewState;
  readonly note: string | null;
}

/**
 * The fields that a review changes. A moderator's note replaces that of the last review, or clears it; an owner who
 * gives none keeps it. A moderator takes the own last review back by setting the state that stood before it, as long as
 * nothing has changed since: without a note of its own, that brings the former note back.
 *
 * @param last the caller's own last review of this encounter
 * @throws ApiError STATE_CONFLICT where the caller may not set this state from the present one; VERSION_MISMATCH where only
 *   a change since then keeps the caller from taking the own review back
 */
export function reviewed(
  encounter: Encounter,
  asked: { readonly state: ReviewState; readonly note: string | null },
  caller: Caller,
  last: OwnReview | null = null,
): { readonly state: ReviewState; readonly review_note: string | null } {
  const present = encounter['state'] as ReviewState;
  const reviewer = reviewersIn(encounter, caller).find((each) =>
    REVIEW_TRANSITIONS[each][present].includes(asked.state),
  );
  if (!reviewer) return takenBack(encounter, asked, caller, last);
  const kept = reviewer === 'owner' ? (encounter['review_note'] as string | null) : null;
  return { state: asked.state, review_note: asked.note ?? kept };
}

/** What a review changes that takes the caller's own one back. */
function takenBack(
  encounter: Encounter,
  asked: { readonly state: ReviewState; readonly note: string | null },
  { role }: Caller,
  last: OwnReview | null,
): { readonly state: ReviewState; readonly review_note: string | null } {
  const { state: present, version } = encounter as { state: ReviewState; version: number };
  if (!isPrivileged(role) || last?.state !== asked.state || present === asked.state)
    throw fail('STATE_CONFLICT', { state: present });
  if (last.version !== version) throw fail('VERSION_MISMATCH', { version });
  return { state: asked.state, review_note: asked.note ?? last.note };
}
