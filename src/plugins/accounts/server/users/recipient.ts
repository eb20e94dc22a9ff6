/** The recipients of mails. */
import { askOne, type Work } from '../../../objects/server/database/work';
import type { Recipient } from '../mail/compose';
import type { Addressee, MailKind } from '../mail/outbox';
import { accountOf, accountWithEmail, accountWithId } from './account';

/** The account that receives a mail; null if the mail no longer applies to it. */
export function* recipientOf(to: Addressee, kind: MailKind): Work<Recipient | null> {
  const row = yield* askOne(
    'account' in to ? accountWithId(to.account) : accountWithEmail(to.emailKey),
  );
  if (!row) return null;
  const account = accountOf(row);
  if (account.isBlocked || (kind === 'verify' && account.isVerified)) return null;
  return account;
}
