import { VARIABLE_NAMES } from './environment';
import { distance, toldUnknown, unknownVariables } from './unknown-variables';

test('a name that is misspelled is noticed, and those of others are not', () => {
  const env = {
    SMPT_URL: 'smtp://user:hush@mail.example.org',
    PUBLICURL: 'https://oms.example.org',
    OMS_ADMIN_MAIL: 'ana@example.org',
    METRICS_ADDRESS: '0.0.0.0',
    // Of others, and ours.
    PATH: '/bin',
    POST: '80',
    HOSTNAME: 'here',
    HTTP_PROXY: 'http://proxy.example.org',
    NODE_ENV: 'production',
    OMS_TEST_DATABASE: 'sqlite',
    ...Object.fromEntries(VARIABLE_NAMES.map((name) => [name, ''])),
  };
  expect(unknownVariables(env, VARIABLE_NAMES).map(toldUnknown)).toEqual([
    'METRICS_ADDRESS is no variable of this service',
    'OMS_ADMIN_MAIL is no variable of this service; OMS_ADMIN_EMAIL is',
    'PUBLICURL is no variable of this service; PUBLIC_URL is',
    'SMPT_URL is no variable of this service; SMTP_URL is',
  ]);
});

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['abc', 'abc', 0],
  ['SMPT_URL', 'SMTP_URL', 1],
  ['ab', 'ba', 1],
  ['kitten', 'sitting', 3],
])('%j and %j are %i letters apart', (one, other, letters) => {
  expect([distance(one, other), distance(other, one)]).toEqual([letters, letters]);
});
