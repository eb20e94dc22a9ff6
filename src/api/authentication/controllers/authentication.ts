/** Login, logout, passwords and addresses: parse, call, answer. */
import type { Core } from '@strapi/strapi';
import { callerOf, unknownFields, unknownParameters } from '../../../endpoints/controller';
import { accountsOf } from '../../../plugins/accounts/server';
import { onBehalfOf, type Caller } from '../../../core/caller';
import { objectsOf, registryOf } from '../../../plugins/objects/server';
import { SITE_TYPE } from '../../../plugins/objects/server/site/settings';
import type { BodyShape } from '../../../plugins/objects/server/validate/request-body';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import { ApiError, issue, malformed, type ErrorKey } from '../../../core/errors';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import { LOGIN, LOGOUT, PASSWORD, RESET, VERIFY } from '../bodies';

type Action = (request: ApiRequest) => Promise<Answer>;

const DONE: Answer = { response: {} };

export default ({ strapi }: { strapi: Core.Strapi }): Record<string, Action> => {
  const accounts = () => accountsOf(strapi);
  const authentication = () => accounts().authentication();
  /** The caller's own object. @param gone the refusal if the account has just been deleted */
  const selfText = async (caller: Caller, gone: ErrorKey): Promise<string> => {
    try {
      return (await objectsOf(strapi).read('user', caller.id ?? '', caller)).text;
    } catch (error) {
      const isGone = error instanceof ApiError && error.key === 'ENTITY_NOT_FOUND';
      throw isGone ? new ApiError(gone) : error;
    }
  };

  return {
    async login(request) {
      const { username, password } = bodyOf(request, LOGIN);
      const proof = { name: String(username), password: String(password) };
      const userAgent = request.req.headers['user-agent'] ?? '';
      const { secret, account } = await authentication().login(proof, userAgent, callerOf(request));
      const self = { ...onBehalfOf(account, account.name), role: account.role };
      const user = await selfText(self, 'LOGIN_FAILED');
      return { response: `{"cookie":"${secret}","user":${user}}`, cookie: secret };
    },

    async logout(request) {
      const { username } = bodyOf(request, LOGOUT);
      const name = typeof username === 'string' ? username : null;
      const isOwn = await authentication().logout(callerOf(request), name);
      return isOwn ? { ...DONE, cookie: null } : DONE;
    },

    async reset(request) {
      const { email } = bodyOf(request, RESET);
      await countMail(request, String(email));
      await authentication().send('reset', String(email));
      return DONE;
    },

    async password(request) {
      const { token, current_password: current, password } = bodyOf(request, PASSWORD);
      checkOneOf(token, 'token', current, 'current_password');
      const caller = callerOf(request);
      if (typeof token === 'string')
        await authentication().setByToken(token, String(password), caller);
      else await authentication().setByPassword(caller, String(current), String(password));
      return DONE;
    },

    async verify(request) {
      const { token, email } = bodyOf(request, VERIFY);
      checkOneOf(token, 'token', email, 'email');
      if (typeof token === 'string') await authentication().verify(token, callerOf(request));
      else {
        await countMail(request, String(email));
        await authentication().send('verify', String(email));
      }
      return DONE;
    },

    async session(request) {
      const caller = callerOf(request);
      refuseParameters(request);
      const user = await selfText(caller, 'SESSION_ENDED');
      return { response: `{"user":${user},"may":${JSON.stringify(mayOf(caller))}}` };
    },

    async sessions(request) {
      const caller = callerOf(request);
      refuseParameters(request);
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

    async endSession(request) {
      const caller = callerOf(request);
      const invalid = [...unknownParameters(request), ...unknownFields(request)];
      if (invalid.length > 0) throw malformed(invalid);
      const id = (request.params['id'] ?? '').toLowerCase();
      await authentication().end(caller, id);
      return DONE;
    },
  };

  function countMail(request: ApiRequest, email: string): Promise<void> {
    return accounts()
      .limits()
      .countMail(email, callerOf(request).network ?? '');
  }

  function mayOf(caller: Caller) {
    const model = registryOf(strapi).model();
    const mayDo = (type: string, action: string): boolean =>
      model.type(type).for(caller).access.extent(action) === 'all';
    return {
      create: [...model.resources.values()]
        .filter(({ type, single }) => single === null && mayDo(type, 'create'))
        .map(({ type }) => type),
      panel: caller.role === 'moderator' || caller.role === 'administrator',
      site_settings: mayDo(SITE_TYPE, 'update'),
    };
  }
};

/** The checked body. Parameters of the query are refused together with its issues. */
function bodyOf(request: ApiRequest, shape: BodyShape): Body {
  const values = shape.check(request.body);
  refuseParameters(request);
  return values;
}

function refuseParameters(request: ApiRequest): void {
  const invalid = unknownParameters(request);
  if (invalid.length > 0) throw malformed(invalid);
}

/** @throws ApiError MALFORMED unless one of the two is given */
function checkOneOf(first: unknown, name: string, second: unknown, other: string): void {
  if (typeof first === 'string' && typeof second === 'string')
    throw malformed([issue(other, 'CONFLICT', { with: name })]);
  if (typeof first !== 'string' && typeof second !== 'string')
    throw malformed([issue(name, 'REQUIRED', {})]);
}
