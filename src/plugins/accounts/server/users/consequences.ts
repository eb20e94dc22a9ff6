/** The consequences of a change of an account, in the transaction of the change. */
import { fail } from '../../../../core/errors';
import { addressKey } from '../../../../core/formats';
import type { Dialect } from '../../../objects/server/database/database';
import { sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { ChangeMade, ConsequenceContext } from '../../../objects/server/declare/behavior';
import type { Body } from '../../../objects/server/declare/objects';
import { dropMails, post } from '../mail/outbox';
import { endSessions } from '../sessions/store';
import { endTokens } from '../tokens/tokens';
import { USERS } from './account';

/** The channel that notifies other processes of changed accounts. */
export const CHANNEL = 'oms_accounts';

/**
 * Mails, sessions and tokens after a change of an account.
 *
 * @throws ApiError LAST_ADMINISTRATOR when no administrator would be left
 */
export function* accountConsequences(
  { before, after, id }: ChangeMade,
  context: ConsequenceContext,
): Work<void> {
  if (isAdministrator(before) && !isAdministrator(after)) yield* keepOne(context.dialect);
  if (!isAdministrator(before) && isAdministrator(after)) yield* markInitialized(context.dialect);
  if (after === null) yield* end(id);
  else if (before === null) yield* welcome(id, after, context);
  else yield* react(id, before, after, context);
  yield* notifyOthers(context.dialect, id);
}

/** Notifies other processes of a change of an account or one of its sessions. */
export function* notifyOthers(dialect: Dialect, account: string): Work<void> {
  const notify = dialect.notify(CHANNEL, account);
  if (notify !== null) yield* ask(notify);
}

/** An administrator who can sign in, as opposed to an invitation that has not been accepted. */
const isAdministrator = (account: Body | null): boolean =>
  account?.['role'] === 'administrator' &&
  account['blocked'] !== true &&
  account['password'] !== null;

/** Selects one such administrator. */
export const ANY_ADMINISTRATOR = sql`select 1 from ${USERS} where account_role = 'administrator'
  and blocked is not true and password is not null limit 1`;

/** Notes in the site settings that there is an administrator: a derived field, which moves no version. */
export function* markInitialized({ boolean }: Pick<Dialect, 'boolean'>): Work<void> {
  yield* ask(sql`update site_settings set initialized = ${boolean(true)}
    where initialized is not true and exists (${ANY_ADMINISTRATOR})`);
}

/** Checked after the change and under a lock: of two administrators who demote each other, the second is refused. */
function* keepOne(dialect: Dialect): Work<void> {
  const lock = dialect.lock('administrators');
  if (lock !== null) yield* ask(lock);
  if (!(yield* askOne(ANY_ADMINISTRATOR))) throw fail('LAST_ADMINISTRATOR', {});
}

function* end(id: string): Work<void> {
  yield* endSessions(id);
  yield* endTokens(id);
  yield* dropMails(id);
}

function* welcome(id: string, after: Body, { now }: ConsequenceContext): Work<void> {
  const isInvited = after['password'] === null;
  if (isInvited || after['email_verified'] !== true) {
    yield* post({ kind: isInvited ? 'invite' : 'verify', to: { account: id } }, now);
  }
}

function* react(
  id: string,
  before: Body,
  after: Body,
  { now, caller }: ConsequenceContext,
): Work<void> {
  const hasChanged = (name: string): boolean => before[name] !== after[name];
  if (hasChanged('password')) {
    yield* endSessions(id, caller.id === id ? caller.session : null);
    yield* endTokens(id, ['reset', 'invite']);
    if (before['password'] !== null)
      yield* post({ kind: 'password_changed', to: { account: id } }, now);
  }
  if (hasChanged('blocked') && after['blocked'] === true) {
    yield* endSessions(id);
    yield* endTokens(id);
  }
  if (addressKey(String(before['email'])) !== addressKey(String(after['email']))) {
    // Tokens that were sent to the old address do not prove the new one.
    yield* endTokens(id);
    const address = String(before['email']);
    yield* post({ kind: 'address_changed', to: { account: id, address } }, now);
    yield* post(
      { kind: after['password'] === null ? 'invite' : 'verify', to: { account: id } },
      now,
    );
  }
}
