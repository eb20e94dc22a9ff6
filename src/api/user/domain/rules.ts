import { isSame } from '../../../plugins/accounts/server/fold';
import { issue, type Issue } from '../../../plugins/wire/server/errors';
import type { Work } from '../../../plugins/objects/server/database/work';
import type { RuleContext } from '../../../plugins/objects/server/write/rules';

type User = Readonly<Record<string, unknown>>;

/** Who registers chooses a password; whom an administrator registers is sent an invitation. */
export function* passwordOrInvitation(
  user: User,
  { before, caller }: RuleContext,
): Work<readonly Issue[]> {
  const isMissing = before === null && user['password'] === null && caller.role !== 'administrator';
  return isMissing ? [issue('password', 'REQUIRED', {})] : [];
}

/** Whoever finds a session open may not make the account his own. */
export function* proofOfIdentity(
  user: User,
  { before, beforehand, caller }: RuleContext,
): Work<readonly Issue[]> {
  if (before === null || caller.session === null || caller.id !== before['id']) return [];
  const isChanged = before['email'] !== user['email'] || before['username'] !== user['username'];
  const proven = beforehand.proven ?? null;
  // A reset meanwhile has made the password that was proven worthless.
  const isProven = proven !== null && proven === before['password'];
  return (isChanged || proven !== null) && !isProven
    ? [issue('current_password', 'REQUIRED', {})]
    : [];
}

/** An address is verified until it changes, by more than how it is written. */
export const staysVerified = (user: User, { before }: RuleContext): boolean =>
  before !== null && before['email_verified'] === true && isSame(before['email'], user['email']);

/** The site's, where the person has not chosen. */
export function* ownLanguage(_: User, { site }: RuleContext): Work<string> {
  return site.defaultLanguage;
}
