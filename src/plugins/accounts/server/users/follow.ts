/** What else a change of an account does, in the transaction of the change. */
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { ChangeMade } from '../../../objects/server/define/declaration';
import type { WriteContext } from '../../../objects/server/write/context';
import type { Body } from '../../../objects/server/types';
import { isSame } from '../fold';
import { followInPanel } from '../panel/ties';
import { dropLetters, post } from '../mail/outbox';
import { endSessions } from '../sessions/store';
import { endTokens } from '../tokens/tokens';
import { USERS } from './account';

/** The channel on which other processes hear which account has changed. */
export const CHANNEL = 'oms_accounts';

/**
 * Letters, sessions and tokens after a change of an account.
 *
 * @throws WireError LAST_ADMINISTRATOR when nobody would be left who can administer
 */
export function* followAccount(made: ChangeMade, context: WriteContext): Work<void> {
  const { before, after, id } = made;
  if (isAdministrator(before) && !isAdministrator(after)) yield* keepOne(context);
  if (after === null) yield* end(id);
  else if (before === null) yield* welcome(id, after, context);
  else yield* react(id, before, after, context);
  yield* followInPanel(made, context);
  yield* tellOthers(context.model.database, id);
}

/** Tells other processes of it. */
export function* tellOthers(database: Database, account: string): Work<void> {
  const notify = database.dialect.notify(CHANNEL);
  if (notify !== null) yield* ask(notify, [account]);
}

/** One who can sign in: an invitation that nobody has accepted administers nothing. */
const isAdministrator = (account: Body | null): boolean =>
  account?.['role'] === 'administrator' &&
  account['blocked'] !== true &&
  account['password'] !== null;

/** Finds one who can administer. */
export const ANOTHER = `select 1 from ${USERS} where account_role = 'administrator'
  and blocked is not true and password is not null limit 1`;

/** Asked after the change, one change at a time: of two who demote each other the second is refused. */
function* keepOne({ model }: WriteContext): Work<void> {
  const lock = model.database.dialect.lock('administrators');
  if (lock !== null) yield* ask(lock);
  if (!(yield* askOne(ANOTHER))) throw fail('LAST_ADMINISTRATOR', {});
}

function* end(id: string): Work<void> {
  yield* endSessions(id);
  yield* endTokens(id);
  yield* dropLetters(id);
}

function* welcome(id: string, after: Body, { now }: WriteContext): Work<void> {
  const isInvited = after['password'] === null;
  if (isInvited || after['email_verified'] !== true) {
    yield* post({ kind: isInvited ? 'invite' : 'verify', to: { account: id } }, now);
  }
}

function* react(id: string, before: Body, after: Body, { now, caller }: WriteContext): Work<void> {
  const has = (name: string): boolean => before[name] !== after[name];
  if (has('password')) {
    yield* endSessions(id, caller.id === id ? caller.session : null);
    yield* endTokens(id, ['reset', 'invite']);
    if (before['password'] !== null)
      yield* post({ kind: 'password_changed', to: { account: id } }, now);
  }
  if (has('blocked') && after['blocked'] === true) {
    yield* endSessions(id);
    yield* endTokens(id);
  }
  if (!isSame(before['email'], after['email'])) {
    // What was sent to the old address proves nothing of the new one.
    yield* endTokens(id);
    const address = String(before['email']);
    yield* post({ kind: 'address_changed', to: { account: id, address } }, now);
    yield* post(
      { kind: after['password'] === null ? 'invite' : 'verify', to: { account: id } },
      now,
    );
  }
}
