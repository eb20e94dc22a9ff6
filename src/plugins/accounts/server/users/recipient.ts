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
  const selected = 'account' in to ? accountWithId(to.account) : accountWithEmail(to.emailKey);
  const row = yield* askOne(sql`${selected}${forShare}`);
  if (!row) return null;
  const account = accountOf(row);
  if (account.isBlocked || (kind === 'verify' && account.isVerified)) return null;
  return account;
}
