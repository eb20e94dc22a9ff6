import { issue, type Expected } from '../../../core/errors';
import { addressKey } from '../../../core/formats';
import { fold } from '../../../core/text';
import type { AccountFindings } from '../../../plugins/accounts/server/users/credentials';
import { isOwnedBy } from '../../../plugins/assets/server/attachable';
import type { Rule, RuleContext } from '../../../plugins/objects/server/declare/behavior';
import { referredIds } from '../../../plugins/objects/server/kinds';

type User = Readonly<Record<string, unknown>>;

/** A registration requires a password; a user whom an administrator creates receives an invitation instead. */
export const passwordOrInvitation: Rule = {
  fields: ['password'],
  *check(user, { before, caller }) {
    const isMissing =
      before === null && user['password'] === null && caller.role !== 'administrator';
    return isMissing ? [issue('password', 'REQUIRED', {})] : [];
  },
};

/** A stolen session must not be enough to take over the account. */
export const proofOfIdentity: Rule = {
  fields: ['current_password'],
  *check(user, { before, findings, caller }) {
    if (before === null || caller.session === null || caller.id !== before['id']) return [];
    const isChanged = before['email'] !== user['email'] || before['username'] !== user['username'];
    const { proven } = findings as AccountFindings;
    // A reset in the meantime invalidates the proof of the password.
    const isProven = proven !== undefined && proven === before['password'];
    return (isChanged || proven !== undefined) && !isProven
      ? [issue('current_password', 'REQUIRED', {})]
      : [];
  },
};

/** An address stays verified until it changes by more than its spelling. */
export const staysVerified = (user: User, { before }: RuleContext): boolean =>
  before !== null &&
  before['email_verified'] === true &&
  addressKey(String(before['email'])) === addressKey(String(user['email']));

/** The default language of the site, unless the user has chosen one. */
export const ownLanguage = (_: User, { site }: RuleContext): string => site.defaultLanguage;

/** A user name cannot be an address, in any spelling of `@`. */
export const rejectAddress = (name: string): Expected | null =>
  fold(name).includes('@') ? 'username' : null;

/** A photograph of a person is the person's own, whoever puts it there. */
export const ownPhoto: Rule = {
  fields: ['photo_id'],
  *check(user, { before }) {
    const path = user['photo_id'] ?? null;
    if (path === null || path === before?.['photo_id']) return [];
    const [photo] = referredIds({ kind: 'path', name: 'photo_id' }, path);
    const isOwn = photo && before && (yield* isOwnedBy(photo.id, String(before['id'])));
    return isOwn ? [] : [issue('photo_id', 'NO_SUCH', { type: 'asset' })];
  },
};
