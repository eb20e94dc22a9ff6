/** Who works in the panel. */
import type { Core } from '@strapi/strapi';
import type { Caller } from '../../../accounts/server/caller';
import { callerBehind } from '../../../accounts/server/panel/ties';
import { databaseOf } from '..';

/**
 * The account that the panel's user belongs to, with its own rights and name. Whom the operator has
 * made through Strapi may do what the panel's own permissions let through, and the history names
 * them. What runs outside a request has nobody behind it.
 */
export async function panelCaller(strapi: Core.Strapi): Promise<Caller> {
  const state = strapi.requestContext.get()?.state as State | undefined;
  const id = state?.user?.id;
  const account =
    id === undefined
      ? null
      : await callerBehind(databaseOf(strapi), id, state?.session?.id ?? null);
  if (account) return account;
  const name = nameOf(state?.user);
  return {
    role: 'administrator',
    id: null,
    session: null,
    actor: name === null ? { kind: 'system', name } : { kind: 'user', name },
  };
}

/** What Strapi's authentication leaves behind. */
interface State {
  readonly user?: Readonly<Record<string, unknown>> & { readonly id: number };
  readonly session?: { readonly id: string };
}

function nameOf(user: State['user']): string | null {
  if (user === undefined) return null;
  const { firstname, lastname, username } = user;
  const names = [firstname, lastname].filter((part) => typeof part === 'string' && part !== '');
  if (names.length > 0) return names.join(' ');
  return typeof username === 'string' ? username : 'panel';
}
