/** The calls of the examples of refusals: they use what the others have made, before these delete it. */
import type { Step } from './example-steps';

const STRANGE = 'https://stranger.example';

/** A call that is refused. @param key without its prefix */
const refused = (
  key: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  rest: Omit<Step, 'method' | 'path' | 'refused'> = {},
): Step => ({ refused: key, method, path, ...rest });

const setting = (body: object): Step => ({
  method: 'PUT',
  path: 'site_settings',
  as: 'administrator',
  body,
});

/** Refused by what is sent. */
const MALFORMED: readonly Step[] = [
  refused('MALFORMED', 'POST', 'encounter', { as: 'maya', body: { latitude: 91, longitude: 35 } }),
  refused('ENTITY_EXISTS', 'POST', 'org', { as: 'maya', body: { name: 'Mara Research Camp' } }),
  { method: 'PUT', path: 'encounter/{encounter}', as: 'maya', body: { taxonomy: '{taxonomy}' } },
  refused('IN_USE', 'DELETE', 'taxonomy/{taxonomy}', { as: 'moderator' }),
  { method: 'PUT', path: 'encounter/{encounter}', as: 'maya', body: { taxonomy: null } },
  refused('EXPORT_EMPTY', 'GET', 'export/encounter?format=camtrap_dp&id={encounter}', {
    as: 'maya',
  }),
  refused('BATCH_FAILED', 'POST', 'batch', {
    as: 'maya',
    body: { operations: [{ op: 'create', type: 'encounter', body: { group_size: 0 } }] },
  }),
  refused('BODY_TOO_LARGE', 'POST', 'encounter', {
    as: 'maya',
    body: { remarks: 'x'.repeat(1_100_000) },
  }),
  refused('URL_TOO_LONG', 'GET', `search/encounter?q=${'x'.repeat(9000)}`),
  refused('MEDIA_TYPE_NOT_ACCEPTED', 'POST', 'encounter', {
    as: 'maya',
    headers: { 'Content-Type': 'text/plain' },
    body: {},
  }),
  refused('PATH_NOT_FOUND', 'GET', 'encounters'),
  refused('METHOD_NOT_ALLOWED', 'PUT', 'encounter', { as: 'maya', body: {} }),
  refused('CROSS_SITE', 'POST', 'login', {
    headers: { Origin: STRANGE },
    body: { username: 'maya.okello@example.org', password: 'a river at dawn' },
  }),
];

/** Refused by who sends it. */
const UNKNOWN = 'nobody.at.all@example.org';
const ACCOUNTS: readonly Step[] = [
  refused('LOGIN_REQUIRED', 'PUT', 'encounter/{encounter}', { body: {} }),
  refused('LOGIN_FAILED', 'POST', 'login', { body: { username: UNKNOWN, password: 'a guess' } }),
  {
    method: 'POST',
    path: 'login',
    body: { username: 'maya.okello@example.org', password: 'a river at dawn' },
    keep: { ended_bearer: 'cookie' },
  },
  { method: 'POST', path: 'logout', as: 'ended', body: {} },
  refused('SESSION_ENDED', 'GET', 'session', { as: 'ended' }),
  refused('TOKEN_INVALID', 'POST', 'password', {
    body: {
      token: 'GbdtFwDqdlXF8C3TKU1kI3bOSNHv4yyyF1HLWbMkPBw',
      password: 'a lake at noon',
    },
  }),
  refused('PASSWORD_WRONG', 'POST', 'password', {
    as: 'maya',
    body: { current_password: 'a guess', password: 'a lake at noon' },
  }),
  setting({ registration_open: false, require_verified_email: true }),
  refused('REGISTRATION_CLOSED', 'POST', 'user', {
    body: { name: 'Li Wei', email: 'li.wei@example.org', password: 'a forest in rain' },
  }),
  refused('EMAIL_NOT_VERIFIED', 'POST', 'login', {
    body: { username: 'maya.okello@example.org', password: 'a river at dawn' },
  }),
  setting({ registration_open: true, require_verified_email: false }),
  refused('NOT_PERMITTED', 'POST', 'taxonomy', {
    as: 'maya',
    body: { scientific_name: 'Giraffa giraffa' },
  }),
  refused('FIELD_NOT_PERMITTED', 'PUT', 'user/{user}', {
    as: 'maya',
    body: { role: 'administrator' },
  }),
  ...Array.from({ length: 9 }, () =>
    refused('LOGIN_FAILED', 'POST', 'login', {
      body: { username: UNKNOWN, password: 'a guess' },
    }),
  ),
  refused('TOO_MANY_REQUESTS', 'POST', 'login', {
    body: { username: UNKNOWN, password: 'a guess' },
  }),
];

/** Refused by what there is. */
const STATES: readonly Step[] = [
  refused('ENTITY_NOT_FOUND', 'GET', 'encounter/{user}'),
  refused('LAST_ADMINISTRATOR', 'PUT', 'user/{administrator}', {
    as: 'administrator',
    body: { role: 'user' },
  }),
  refused('STATE_CONFLICT', 'POST', 'org/{org}/leave', { as: 'colleague', body: {} }),
  refused('VERSION_MISMATCH', 'PUT', 'encounter/{encounter}', {
    as: 'maya',
    headers: { 'If-Match': '"1"' },
    body: { sex: 'male' },
  }),
  refused('RANGE_NOT_SATISFIABLE', 'GET', 'asset/{asset}/file', {
    as: 'maya',
    headers: { Range: 'bytes=99999999-' },
  }),
];

/** Of the individuals `individual` and `other`, the second of which is then no more. */
export const MERGED: readonly Step[] = [
  {
    method: 'POST',
    path: 'individual/{individual}/merge',
    as: 'maya',
    body: { from: ['{other}'] },
  },
  refused('MERGED', 'PUT', 'individual/{other}', { as: 'maya', body: { sex: 'male' } }),
];

export const REFUSED: readonly Step[] = [...MALFORMED, ...ACCOUNTS, ...STATES];
