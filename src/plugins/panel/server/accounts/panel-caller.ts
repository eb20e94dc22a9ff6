/** The caller of a request of the panel. */
import type { Core } from '@strapi/strapi';
import { local, type Caller } from '../../../../core/caller';
import { databaseOf } from '../../../objects/server';
import { wireOf } from '../../../wire/server';
import { requestOf, type PanelUser } from '../strapi-internals';
import { accountBehind } from './panel-users';

/**
 * The account of the panel user, with its own rights and name. A user that the operator created through Strapi may do
 * what the panel's permissions allow, and is named in the history. Outside of a request, the caller is the service.
 */
export async function panelCaller(strapi: Core.Strapi): Promise<Caller> {
  const request = requestOf(strapi);
  const user = request?.state.user;
  const session = request?.state.session?.id ?? null;
  const network = request ? wireOf(strapi).networks.networkOf(request.req) : null;
  const account =
    user === undefined ? null : await accountBehind(databaseOf(strapi), user.id, session);
  if (account) return { ...account, network };
  const name = nameOf(user);
  const actor = name === null ? { kind: 'system' as const, name } : { kind: 'user' as const, name };
  return {
    ...local({ role: 'administrator', id: null, rowId: null, session: null, actor }),
    network,
  };
}

function nameOf(user: PanelUser | undefined): string | null {
  if (user === undefined) return null;
  const names = [user.firstname, user.lastname].filter((part) => part !== null && part !== '');
  return names.length > 0 ? names.join(' ') : (user.username ?? 'panel');
}
