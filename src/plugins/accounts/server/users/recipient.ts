/** The recipients of mails. */
import type { Dialect } from '../../../objects/server/database/database';
import { sql } from '../../../objects/server/database/sql';
import { askOne, type Work } from '../../../objects/server/database/work';
import type { Recipient } from '../mail/compose';
import type { Addressee, MailKind } from '../mail/outbox';
import { accountOf, accountWithEmail, accountWithId } from './account';

/** The account that receives a mail, locked against changes; null if the mail no longer applies to it. */
export function* recipientOf(
  to: Addressee,
  kind: MailKind,
  { forShare }: Pick<Dialect, 'forShare'>,
): Work<Recipient | null> {
  const account = 'account' in to ? accountWithId(to.account) : accountWithEmail(to.emailKey);
  const row = yield* askOne(sql`${account}${forShare}`);
  if (!row) return null;
  const found = accountOf(row);
  if (found.isBlocked || (kind === 'verify' && found.isVerified)) return null;
  return found;
}
