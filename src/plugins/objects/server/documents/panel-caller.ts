/** Who works in the panel. */
import type { Core } from '@strapi/strapi';
import type { Caller } from '../../../accounts/server/caller';

/**
 * The panel's own permissions have let them through, and the history names them. What runs outside
 * a request has nobody behind it.
 */
export function panelCaller(strapi: Core.Strapi): Caller {
  const user: unknown = strapi.requestContext.get()?.state['user'];
  const name = nameOf(user);
  return {
    role: 'administrator',
    id: null,
    session: null,
    actor: name === null ? { kind: 'system', name } : { kind: 'user', name },
  };
}

function nameOf(user: unknown): string | null {
  if (typeof user !== 'object' || user === null) return null;
  const { firstname, lastname, username } = user as Record<string, unknown>;
  const names = [firstname, lastname].filter((part) => typeof part === 'string' && part !== '');
  if (names.length > 0) return names.join(' ');
  return typeof username === 'string' ? username : 'panel';
}
