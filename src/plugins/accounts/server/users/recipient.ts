/** Whom a mail goes to. */
import { askOne, type Work } from '../../../objects/server/database/work';
import type { Recipient } from '../mail/compose';
import type { Addressee, MailKind } from '../mail/outbox';
import { accountOf, BY_EMAIL, BY_ID } from './account';

/** The account that a mail is for; nobody for one that has no use for it any more. */
export function* recipientOf(to: Addressee, kind: MailKind): Work<Recipient | null> {
  const row =
    'account' in to ? yield* askOne(BY_ID, [to.account]) : yield* askOne(BY_EMAIL, [to.emailKey]);
  if (!row) return null;
  const account = accountOf(row);
  if (account.isBlocked || (kind === 'verify' && account.isVerified)) return null;
  return account;
}
