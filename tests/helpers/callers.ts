import { readiness } from '#app/boot/readiness';
import { accountsOf } from '#app/plugins/accounts/server';
import { anonymous, ROLES, type Role } from '#app/plugins/accounts/server/caller';
import { wireOf } from '#app/plugins/wire/server';
import type { TestService } from './service';

const secretOf = (role: Role): string => `test-session-of-${role}`;

/** The header by which a scenario speaks for a role. */
export const authorizationOf = (role: Role): Readonly<Record<string, string>> =>
  role === 'anonymous' ? {} : { Authorization: `Bearer ${secretOf(role)}` };

const opened = new WeakSet<object>();

/**
 * Gives a service a session for each role, until there are accounts that can log in. The secret takes the way of
 * any other through the pipeline; only whom it belongs to is told here.
 */
export function openToRoles({ strapi }: TestService): void {
  if (opened.has(strapi)) return;
  opened.add(strapi);
  const sessions = new Map(ROLES.map((role) => [secretOf(role), anonymous(role)]));
  wireOf(strapi).open({
    identify: ({ cookie, bearer }) =>
      sessions.get(bearer ?? cookie ?? '') ?? accountsOf(strapi).identify(),
    checks: readiness(strapi),
  });
}
