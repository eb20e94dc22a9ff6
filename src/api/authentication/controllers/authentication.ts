/** Logging in and out, passwords and addresses: parse, call, answer. */
import type { Core } from '@strapi/strapi';
import { callerOf, unknownFields, unknownParameters } from '../../../endpoints/controller';
import { accountsOf } from '../../../plugins/accounts/server';
import { onBehalfOf, type Caller } from '../../../plugins/accounts/server/caller';
import { judge } from '../../../plugins/accounts/server/permissions';
import { mayRegister } from '../../../plugins/accounts/server/users/beforehand';
import { objectsOf, registryOf, siteOf } from '../../../plugins/objects/server';
import type { BodyShape } from '../../../plugins/objects/server/define/body';
import type { Body } from '../../../plugins/objects/server/types';
import { fail, issue, malformed } from '../../../plugins/wire/server/errors';
import type { Answer, Exchange } from '../../../plugins/wire/server/exchange';
import { LOGIN, LOGOUT, PASSWORD, RESET, VERIFY } from '../bodies';

type Action = (exchange: Exchange) => Promise<Answer>;

const DONE: Answer = { response: {} };

export default ({ strapi }: { strapi: Core.Strapi }): Record<string, Action> => {
  const accounts = () => accountsOf(strapi);
  const authentication = () => accounts().authentication();
  const userText = async (id: string, caller: Caller): Promise<string> =>
    (await objectsOf(strapi).read('user', id, caller)).text;

  return {
    async login(exchange) {
      const { username, password } = bodyOf(exchange, LOGIN);
      const login = {
        name: String(username),
        password: String(password),
        network: accounts().limits().networkOf(exchange.req),
        userAgent: exchange.req.headers['user-agent'] ?? '',
      };
      const { secret, account } = await authentication().login(login, callerOf(exchange));
      const self = { ...onBehalfOf(account.id, account.name), role: account.role };
      const user = await userText(account.id, self);
      return { response: `{"cookie":"${secret}","user":${user}}`, cookie: secret };
    },

    async logout(exchange) {
      const { username } = bodyOf(exchange, LOGOUT);
      const name = typeof username === 'string' ? username : null;
      const isOwn = await authentication().logout(callerOf(exchange), name);
      return isOwn ? { ...DONE, cookie: null } : DONE;
    },

    async reset(exchange) {
      const { email } = bodyOf(exchange, RESET);
      await accounts().limits().countMail(String(email), exchange.req);
      await authentication().send('reset', String(email));
      return DONE;
    },

    async password(exchange) {
      const { token, current_password: current, password } = bodyOf(exchange, PASSWORD);
      checkOneOf(token, 'token', current, 'current_password');
      if (typeof token === 'string') await authentication().setByToken(token, String(password));
      else
        await authentication().setByPassword(callerOf(exchange), String(current), String(password));
      return DONE;
    },

    async verify(exchange) {
      const { token, email } = bodyOf(exchange, VERIFY);
      checkOneOf(token, 'token', email, 'email');
      if (typeof token === 'string') await authentication().verify(token);
      else {
        await accounts().limits().countMail(String(email), exchange.req);
        await authentication().send('verify', String(email));
      }
      return DONE;
    },

    async session(exchange) {
      const caller = callerOf(exchange);
      if (caller.id === null) throw fail('LOGIN_REQUIRED', {});
      refuseParameters(exchange);
      const user = await userText(caller.id, caller);
      return { response: `{"user":${user},"may":${JSON.stringify(mayOf(caller))}}` };
    },

    async sessions(exchange) {
      const caller = callerOf(exchange);
      if (caller.id === null) throw fail('LOGIN_REQUIRED', {});
      refuseParameters(exchange);
      const found = await authentication().list(caller);
      const sessions = found.map(({ id, createdAt, lastUsedAt, userAgent }) => ({
        id,
        current: id === caller.session,
        created_at: new Date(createdAt).toISOString(),
        last_used_at: new Date(lastUsedAt).toISOString(),
        user_agent: userAgent,
      }));
      return { response: { sessions } };
    },

    async endSession(exchange) {
      const caller = callerOf(exchange);
      const invalid = [...unknownParameters(exchange), ...unknownFields(exchange)];
      if (caller.id !== null && invalid.length > 0) throw malformed(invalid);
      const id = (exchange.params['id'] ?? '').toLowerCase();
      await authentication().end(caller, id);
      return id === caller.session ? { ...DONE, cookie: null } : DONE;
    },
  };

  function mayOf(caller: Caller) {
    const { resources } = registryOf(strapi).model();
    const site = siteOf(strapi).current();
    const create = [...resources.values()]
      .filter(({ permissions }) => judge(permissions, 'create', caller, site) === 'granted')
      .map(({ type }) => type)
      .filter((type) => type !== 'user' || mayRegister(caller, site));
    return {
      create,
      panel: caller.role === 'moderator' || caller.role === 'administrator',
      site_settings: caller.role === 'administrator',
    };
  }
};

/** The body, checked together with the parameters, of which there are none. */
function bodyOf(exchange: Exchange, shape: BodyShape): Body {
  const values = shape.check(exchange.body);
  refuseParameters(exchange);
  return values;
}

function refuseParameters(exchange: Exchange): void {
  const invalid = unknownParameters(exchange);
  if (invalid.length > 0) throw malformed(invalid);
}

/** @throws WireError MALFORMED unless one of the two is given */
function checkOneOf(first: unknown, name: string, second: unknown, other: string): void {
  if (typeof first === 'string' && typeof second === 'string')
    throw malformed([issue(other, 'CONFLICT', { with: name })]);
  if (typeof first !== 'string' && typeof second !== 'string')
    throw malformed([issue(name, 'REQUIRED', {})]);
}
