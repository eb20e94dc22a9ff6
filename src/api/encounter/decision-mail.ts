/** The mail that tells whoever sent reports what the review has decided, and when others are told of them. */
import { addressKey } from '../../core/formats';
import { postDecision, takeBackDecision } from '../../plugins/accounts/server/mail/outbox';
import type { Decisions } from '../../plugins/accounts/server/mail/courier';
import type { Paragraph } from '../../plugins/accounts/server/mail/compose';
import { sql } from '../../plugins/objects/server/database/sql';
import { ask, type Work } from '../../plugins/objects/server/database/work';
import type { Consequence } from '../../plugins/objects/server/declare/behavior';
import { dateOf } from './domain/told-from';

/** The notes of a review that one mail repeats. */
const MOST_NOTES = 5;

/**
 * Posts what a review has decided, to the owner or to the address that was given with an anonymous report. Nobody is told
 * of an own decision; what is pending again is told to nobody.
 */
export const tellDecision: Consequence = function* ({ id, before, after }, { now, caller }) {
  if (before === null || after === null || before['state'] === after['state']) return;
  yield* takeBackDecision(id);
  if (after['state'] === 'pending') return;
  const owner = (after['owner'] ?? null) as string | null;
  const email = (after['submitter_email'] ?? null) as string | null;
  if (owner !== null && owner !== caller.id) yield* postDecision(id, { account: owner }, now);
  if (owner === null && email !== null)
    yield* postDecision(id, { emailKey: addressKey(email) }, now);
};

interface Decided {
  readonly state: string;
  /** A date that is still to come; null where others are told by now. */
  readonly toldFrom: string | null;
  readonly note: string | null;
  readonly email: string | null;
}

/**
 * What a mail tells, as it is when it is sent: reports that were deleted are left out.
 *
 * @param mail its ID in the outbox
 * @param now milliseconds since 1970
 * @returns null where there is nothing to tell
 */
export function* decisionsIn(mail: string, now: number): Work<Decisions | null> {
  const today = dateOf(now);
  const rows = yield* ask(
    sql`select e.state, e.told_from, e.review_note, e.submitter_email
      from oms_mail_subjects s join encounters e on e.document_id = s.subject
      where s.mail = ${mail} order by e.id`,
  );
  if (rows.length === 0) return null;
  const decided = rows.map(([state, toldFrom, note, email]): Decided => {
    const date = (toldFrom ?? null) as string | null;
    return {
      state: String(state),
      toldFrom: date !== null && date > today ? date : null,
      note: (note ?? null) as string | null,
      email: (email ?? null) as string | null,
    };
  });
  return {
    email: decided.find(({ email }) => email !== null)?.email ?? null,
    paragraphs: paragraphsOf(decided),
  };
}

function paragraphsOf(decided: readonly Decided[]): Paragraph[] {
  const approved = decided.filter(({ state }) => state === 'approved');
  // Those that others see by now come first.
  const dates = [...new Set(approved.map(({ toldFrom }) => toldFrom ?? ''))].sort();
  const notes = [...new Set(decided.flatMap(({ note }) => note ?? []))].slice(0, MOST_NOTES);
  const count = (of: readonly Decided[]): { count: number } => ({ count: of.length });
  const rejected = decided.filter(({ state }) => state === 'rejected');
  return [
    ...dates.map((date) => {
      const args = count(approved.filter(({ toldFrom }) => (toldFrom ?? '') === date));
      return date === ''
        ? { key: 'approved', args }
        : { key: 'approved_later', args: { ...args, date: Date.parse(date) } };
    }),
    ...(rejected.length === 0 ? [] : [{ key: 'rejected', args: count(rejected) }]),
    ...notes.map((note) => ({ key: 'note', args: { note } })),
  ];
}
