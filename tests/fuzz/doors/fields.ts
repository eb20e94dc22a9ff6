import { at, parsed, type Json } from '../../helpers/json';
import { from } from '../../helpers/networks';
import { percentEncoded } from '../../helpers/text-bytes';
import type { World } from '../../helpers/world';
import { stored, type Door } from './door';

/** A field of JSON: the body with the text in it, and where it is found again. */
type FieldDoor = readonly [
  name: string,
  type: string,
  body: (text: string) => Json,
  found: (object: Json) => unknown,
  keeps?: Door['keeps'],
];

const keyOf = (object: unknown): unknown => Object.keys(object ?? {})[0];

let made = 0;
/** What nobody has yet. */
const next = (): string => `${(made += 1)}`;
const somebody = (): Json => ({ email: `door-${next()}@people.example.org`, name: 'Somebody' });

const FIELDS: readonly FieldDoor[] = [
  ['a text', 'encounter', (locality) => ({ locality }), ({ locality }) => locality],
  ['a long text', 'encounter', (remarks) => ({ remarks }), ({ remarks }) => remarks],
  ['a term', 'encounter', (behavior) => ({ behavior }), ({ behavior }) => behavior],
  [
    'tags',
    'encounter',
    (text) => ({ tags: [text] }),
    ({ tags }) => at(tags, '0'),
    (text, kept) => kept === stored(text).toLowerCase(),
  ],
  [
    'names of people',
    'encounter',
    (text) => ({ observers: [text] }),
    (one) => at(one, 'observers', '0'),
  ],
  [
    'a custom field',
    'encounter',
    (mood) => ({ custom_fields: { mood } }),
    (one) => at(one, 'custom_fields', 'mood'),
  ],
  [
    'a verbatim value',
    'encounter',
    (text) => ({ verbatim: { habitat: text } }),
    (one) => at(one, 'verbatim', 'habitat'),
  ],
  [
    'a verbatim term',
    'encounter',
    (text) => ({ verbatim: { [text]: 'x' } }),
    (one) => keyOf(one['verbatim']),
  ],
  [
    'what is measured',
    'encounter',
    (type) => ({ measurements: [{ type, value: 1 }] }),
    (one) => at(one, 'measurements', '0', 'type'),
  ],
  [
    'a measured text',
    'encounter',
    (value) => ({ measurements: [{ type: 'coat', value }] }),
    (one) => at(one, 'measurements', '0', 'value'),
  ],
  ['the name of a field', 'encounter', (text) => ({ [text]: 'x' }), () => undefined],
  ['a reference', 'encounter', (taxonomy) => ({ taxonomy }), ({ taxonomy }) => taxonomy],
  ['a time', 'encounter', (time) => ({ time }), ({ time }) => time],
  [
    'the name of an animal',
    'individual',
    (value) => ({ names: [{ context: 'catalog', value }] }),
    (one) => at(one, 'names', '0', 'value'),
  ],
  [
    'a scientific name',
    'taxonomy',
    (text) => ({ scientific_name: text, rank: next() }),
    (one) => one['scientific_name'],
    // One line, as blanks are between the words of a name.
    (text, kept) => kept === stored(text).replace(/\s+/gu, ' '),
  ],
  [
    'a localized text',
    'taxonomy',
    (en) => ({ scientific_name: `Door ${next()}`, vernacular_names: { en } }),
    (one) => at(one, 'vernacular_names', 'en'),
  ],
  [
    'a language',
    'taxonomy',
    (text) => ({ scientific_name: `Door ${next()}`, vernacular_names: { [text]: 'x' } }),
    (one) => keyOf(one['vernacular_names']),
  ],
  ['the name of a person', 'user', (name) => ({ ...somebody(), name }), ({ name }) => name],
  ['a username', 'user', (username) => ({ ...somebody(), username }), ({ username }) => username],
  ['an address', 'user', (text) => ({ ...somebody(), email: text }), ({ email }) => email],
  ['a password', 'user', (password) => ({ ...somebody(), password }), () => undefined],
];

const responseOf = (text: string): Json => (at(parsed(text), 'response') ?? {}) as Json;

/** Each kind of text in JSON, parameters of searches, a login. */
export function fieldDoors(world: () => World): Door[] {
  const fields = FIELDS.map(([name, type, body, found, keeps]): Door => ({
    name: `${name} in JSON`,
    ...(keeps ? { keeps } : {}),
    async send(text) {
      const url = `/api/v0/${type}`;
      const answer = await world().send({ method: 'POST', url, body: body(text) });
      const { id } = responseOf(answer.text);
      const kept = answer.status === 200 ? found(await world().read(type, String(id))) : null;
      return { status: answer.status, kept };
    },
  }));
  const parameters = ['q', 'locality', 'observers', 'time', 'sort', 'cursor'].map((name): Door => ({
    name: `the parameter ${name} of a search`,
    room: 7500,
    sizeOf: (text) => percentEncoded(text).length,
    async send(text) {
      const url = `/api/v0/search/encounter?${name}=${percentEncoded(text)}`;
      const { status } = await world().send({ method: 'GET', url });
      return { status };
    },
  }));
  const login: Door = {
    name: 'the name in a login',
    async send(username) {
      const body = { username, password: 'A long one, 1 please' };
      const request = { method: 'POST', url: '/api/v0/login', headers: from(), body };
      const { status } = await world().send(request);
      return { status };
    },
  };
  return [...fields, ...parameters, login];
}
