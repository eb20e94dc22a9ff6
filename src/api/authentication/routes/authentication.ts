import { withAbout } from '../../../endpoints/about';
import type { ActionOperation } from '../../../endpoints/operations';
import type { RouteDeclaration } from '../../../plugins/wire/server/request';
import { LOGIN, LOGOUT, PASSWORD, RESET, VERIFY } from '../bodies';
import { ABOUT } from '../about';

const NOTHING = { type: 'object', maxProperties: 0 };
const INSTANT = { type: 'string', format: 'date-time' };
const USER = { $ref: '#/components/schemas/User' };

const SESSION = {
  type: 'object',
  required: ['id', 'current', 'created_at', 'last_used_at', 'user_agent'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    current: { type: 'boolean', description: 'The one that asks.' },
    created_at: INSTANT,
    last_used_at: INSTANT,
    user_agent: { type: 'string', description: 'What the program called itself at the login.' },
  },
};

const MAY = {
  type: 'object',
  description: 'What the caller may do that no object tells.',
  required: ['create', 'panel', 'site_settings'],
  properties: {
    create: { type: 'array', items: { type: 'string' }, description: 'Types of objects.' },
    panel: { type: 'boolean', description: 'Sign in to the admin panel.' },
    site_settings: { type: 'boolean', description: 'Change the settings of the site.' },
  },
};

type Described = Omit<ActionOperation, 'kind' | 'tag' | 'name'>;

const route = (
  method: RouteDeclaration['method'],
  path: string,
  name: string,
  described: Described,
): RouteDeclaration => {
  const operation: ActionOperation = { kind: 'action', tag: 'authentication', name, ...described };
  return { method, path: `/v0/${path}`, handler: `authentication.${name}`, config: { operation } };
};

export default {
  routes: withAbout(ABOUT, [
    route('POST', 'login', 'login', {
      isForEndedSessions: true,
      summary: 'Begin a session',
      body: LOGIN,
      isGuarded: true,
      response: {
        type: 'object',
        required: ['cookie', 'user'],
        properties: {
          cookie: {
            type: 'string',
            description:
              "The session's secret, which is set as a cookie too; a program without cookies sends it as `Authorization: Bearer`.",
          },
          user: USER,
        },
      },
      refusals: ['LOGIN_FAILED', 'EMAIL_NOT_VERIFIED', 'TOO_MANY_REQUESTS'],
    }),
    route('POST', 'logout', 'logout', {
      isForEndedSessions: true,
      summary: 'End the session that calls, or all sessions of a user',
      body: LOGOUT,
      isGuarded: true,
      response: NOTHING,
      refusals: ['NOT_PERMITTED'],
    }),
    route('POST', 'reset', 'reset', {
      isForEndedSessions: true,
      summary: 'Have a link sent with which a new password can be set',
      body: RESET,
      response: NOTHING,
      refusals: ['TOO_MANY_REQUESTS'],
    }),
    route('POST', 'password', 'password', {
      isForEndedSessions: true,
      summary: 'Set a new password, by the token of a mail or the current password',
      body: PASSWORD,
      response: NOTHING,
      refusals: ['TOKEN_INVALID', 'LOGIN_REQUIRED', 'PASSWORD_WRONG', 'TOO_MANY_REQUESTS'],
    }),
    route('POST', 'verify', 'verify', {
      isForEndedSessions: true,
      summary: 'Verify an address by the token of a mail, or have that mail sent again',
      body: VERIFY,
      response: NOTHING,
      refusals: ['TOKEN_INVALID', 'TOO_MANY_REQUESTS'],
    }),
    route('GET', 'session', 'session', {
      needsLogin: true,
      summary: 'Who is logged in, and what they may do',
      response: { type: 'object', required: ['user', 'may'], properties: { user: USER, may: MAY } },
      refusals: [],
    }),
    route('GET', 'sessions', 'sessions', {
      needsLogin: true,
      summary: "The caller's own sessions",
      response: {
        type: 'object',
        required: ['sessions'],
        properties: { sessions: { type: 'array', items: SESSION } },
      },
      refusals: [],
    }),
    route('DELETE', 'sessions/:id', 'endSession', {
      needsLogin: true,
      summary: "End one of the caller's own sessions",
      response: NOTHING,
      refusals: ['ENTITY_NOT_FOUND'],
    }),
  ]),
};
