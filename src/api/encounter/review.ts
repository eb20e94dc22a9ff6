/** The review of an encounter, and what ends with it. */
import type { PlainAction, Consequence } from '../../plugins/objects/server/define/behavior';
import { dropClaims } from '../../plugins/objects/server/write/claims';
import { both, either, is, where } from '../../plugins/objects/server/rights/relations';
import schema from './content-types/encounter/schema.json';
import { reviewed, statesOpenTo, type State } from './domain/review';

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
        'Moderators approve or reject what is pending, and revise either decision; the owner sets what was rejected to `pending`.',
    },
    review_note: {
      kind: 'text',
      maxLength: reviewNote.maxLength,
      description:
        'What the owner and moderators read of the review. Without it, a moderator clears the note, and an owner keeps it.',
    },
  },
  refusals: ['STATE_CONFLICT'],
  *plan(encounter, body, { caller }) {
    const note = (body['review_note'] ?? null) as string | null;
    return { ...reviewed(encounter, { state: body['state'] as State, note }, caller) };
  },
};

/** The claim to a report ends with the decision, and does not come back with a later review. */
export const endClaims: Consequence = function* ({ id, before, after }) {
  if (before?.['state'] === 'pending' && after && after['state'] !== 'pending')
    yield* dropClaims(id);
};
