/** The review of an encounter, and what ends with it. */
import type { PlainAction, Consequence } from '../../plugins/objects/server/declare/behavior';
import { listBrought } from './claim';
import { endClaimsOf, letReportBeRead } from '../../plugins/objects/server/write/claims';
import { sql } from '../../plugins/objects/server/database/sql';
import { askOne, type Work } from '../../plugins/objects/server/database/work';
import { parseChanges } from '../../plugins/objects/server/write/history-entries';
import { both, either, is, where } from '../../plugins/objects/server/declare/relations';
import { isPrivileged } from '../../plugins/objects/server/declare/row';
import type { Body } from '../../plugins/objects/server/declare/objects';
import type { Caller } from '../../core/caller';
import schema from './content-types/encounter/schema.json';
import { reviewed, statesOpenTo, type OwnReview, type ReviewState } from './domain/review';
import { tellingAfter } from './settle-telling';

const { state, reviewNote } = schema.attributes;

/** The owner, while the state lets it be sent to the review again. */
export const resubmitter = both(
  is('owner'),
  either(...statesOpenTo('owner').map((open) => where({ state: open }))),
);

export const review: PlainAction = {
  summary: 'Approve or reject an encounter, or send it to the review again',
  body: {
    state: {
      kind: 'choice',
      choices: state.enum,
      required: true,
      description:
        'Moderators approve or reject what is pending, and revise either decision; the owner sets what was rejected to `pending`. Who has decided last and is a moderator may take that back while nothing else has changed, by setting the state before it, `pending` too.',
    },
    review_note: {
      kind: 'text',
      maxLength: reviewNote.maxLength,
      description:
        'What the owner and moderators read of the review. Without it, a moderator clears the note, and an owner keeps it.',
    },
  },
  refusals: ['STATE_CONFLICT'],
  *plan(encounter, body, context) {
    const note = (body['review_note'] ?? null) as string | null;
    const asked = { state: body['state'] as ReviewState, note };
    const last = asked.state === 'pending' ? yield* ownReview(encounter, context.caller) : null;
    const after = reviewed(encounter, asked, context.caller, last);
    return { ...after, ...(yield* tellingAfter(encounter, after.state, context)) };
  },
};

/** The last review of an encounter that the caller made. Both of its IDs are indexed; of one encounter there are few entries. */
function* ownReview(encounter: Body, { id, role }: Caller): Work<OwnReview | null> {
  if (id === null || !isPrivileged(role)) return null;
  const row = yield* askOne(
    sql`select version, changes from oms_history
      where object = ${String(encounter['id'])} and actor_id = ${id} and action = 'review'
      order by seq desc limit 1`,
  );
  if (!row) return null;
  const changes = parseChanges(String(row[1]));
  const before = (name: string): unknown => changes.find(({ path }) => path === name)?.before;
  const note = before('review_note');
  return {
    version: Number(row[0]),
    state: before('state') as ReviewState,
    // A note that the review has not changed stands.
    note: (note === undefined ? encounter['review_note'] : note) as string | null,
  };
}

/** Longer than it takes until strangers are told of anything: a year. */
const UNTIL_TOLD = 400 * 24 * 60 * 60_000;

/**
 * What the claims to a report and to its photographs permit ends with the decision, and does not come back with a later
 * review; the report can still be adopted. Where no review is asked for, a report is approved as it is made. An approved one
 * that strangers are told of later is read until then as they will.
 */
export const endClaims: Consequence = function* ({ id, before, after }, { now, dialect, caller }) {
  if (!after || after['state'] === 'pending' || before?.['state'] === after['state']) return;
  // Only what is sent without an account has any.
  if (before === null && caller.role !== 'anonymous') return;
  const photographs = [before, after].flatMap((one) => (one?.['assets'] ?? []) as string[]);
  yield* endClaimsOf([id, ...photographs, ...(yield* listBrought(id))], { now, dialect });
  const isWaiting = after['state'] === 'approved' && (after['untold_since'] ?? null) !== null;
  yield* letReportBeRead(id, isWaiting ? now + UNTIL_TOLD : null);
};
