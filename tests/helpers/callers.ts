import { createHash, randomUUID } from 'node:crypto';
import type { Role } from '#app/core/caller';
import { storeAccount } from './accounts';
import { uuid } from './ids';
import type { TestService } from './service';

type LoggedIn = Exclude<Role, 'anonymous'>;

/** The accounts behind the roles. */
export const ACCOUNTS: Readonly<Record<LoggedIn, string>> = {
  user: uuid(0xacc001),
  moderator: uuid(0xacc002),
  administrator: uuid(0xacc003),
};

/** The secret of a role's session. Secrets have 43 characters. */
export const secretOf = (role: Role): string => `test-session-of-${role}`.padEnd(43, '-');

/** The header by which a scenario speaks for a role. */
export const authorizationOf = (role: Role): Readonly<Record<string, string>> =>
  role === 'anonymous' ? {} : { Authorization: `Bearer ${secretOf(role)}` };

const opened = new WeakMap<object, Promise<void>>();

/** Gives a service an account with a session for each role: as they are stored, without the mails of a registration. */
export function openToRoles({ strapi }: TestService): Promise<void> {
  const opening =
    opened.get(strapi) ??
    (async () => {
      for (const [role, id] of Object.entries(ACCOUNTS)) {
        await openAccount(strapi, role as LoggedIn, id);
      }
    })();
  opened.set(strapi, opening);
  return opening;
}

async function openAccount(
  strapi: TestService['strapi'],
  role: LoggedIn,
  id: string,
): Promise<void> {
  const name = `A ${role}`;
  await storeAccount({ strapi }, { id, name, email: `${role}@example.org`, role });
  const now = Date.now();
  await strapi.db.connection('oms_sessions').insert({
    hash: createHash('sha256').update(secretOf(role)).digest('hex'),
    id: randomUUID(),
    account: id,
    created_at: now,
    last_used_at: now,
    user_agent: 'tests',
  });
}
