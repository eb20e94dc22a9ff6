/** Values of a schema by the library's generators: of text, numbers, lists, patterns, addresses. */
import * as fc from 'fast-check';
import { asObject, type Json } from '../helpers/json';
import { TYPES } from './operations';

/** What stands for an object that earlier requests have made, and is replaced when a request is sent. */
export const known = (type: string): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 15 }).map((n) => `{{${type}:${n}}}`);

/** The types of the objects that a field refers to; of any other name, the type that the call is about. */
const REFERS: Readonly<Record<string, string>> = {
  ...{ owner: 'user', user: 'user', to: 'user', requested_by: 'user', withheld_by: 'user' },
  ...{ managers: 'user', members: 'user', join_requests: 'user', collaborators: 'user' },
  ...{ individual: 'individual', taxonomy: 'taxonomy', parent: 'taxonomy', accepted: 'taxonomy' },
  ...{ protected_as: 'taxonomy', taxonomy_under: 'taxonomy', organizations: 'org' },
  ...{ assets: 'asset', encounters: 'encounter', photo_id: 'asset', logo_id: 'asset' },
  ...{ followed_users: 'user', followed_individuals: 'individual', followed_orgs: 'org' },
  ...{ followed_encounters: 'encounter' },
};

/** Whom generated texts are secrets of: no answer may hold the one, and only some answers the other. */
export const SECRET = 'Swordfish';
export const PRIVATE_DOMAIN = 'accounts.example.org';

/** Where a value stands: the name of its property, and the type that the call is about. */
interface Spot {
  readonly name: string;
  readonly type: string;
}

export const isNullable = (schema: Json): boolean =>
  typesOf(schema).includes('null') || alternativesOf(schema).some((one) => isNullable(one));

export const typesOf = ({ type }: Json): readonly unknown[] =>
  type === undefined ? [] : [type].flat();

export const alternativesOf = ({ anyOf, oneOf }: Json): readonly Json[] =>
  (anyOf ?? oneOf ?? []) as readonly Json[];

export const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** A value that the schema allows. */
export function valid(schema: Json, spot: Spot): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const alternatives = alternativesOf(schema);
  const choices =
    alternatives.length > 0
      ? alternatives.map((one) => ({ weight: isNull(one) ? 1 : 9, arbitrary: valid(one, spot) }))
      : typesOf(schema).map((type) => ({
          weight: type === 'null' ? 1 : 9,
          arbitrary: (OF_TYPE[String(type)] ?? objectOf)(schema, spot),
        }));
  return choices.length === 0 ? fc.string({ maxLength: 20 }) : fc.oneof(...choices);
}

const isNull = (schema: Json): boolean => schema['type'] === 'null';

type Make = (schema: Json, spot: Spot) => fc.Arbitrary<unknown>;

const OF_TYPE: Readonly<Record<string, Make>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: (schema) =>
    fc.integer({
      min: Math.ceil(numberOf(schema['minimum'], -1000)),
      max: Math.min(Math.floor(numberOf(schema['maximum'], 100_000)), 2 ** 31 - 1),
    }),
  number: (schema) => {
    const [min, max] = [numberOf(schema['minimum'], -1e6), numberOf(schema['maximum'], 1e6)];
    return fc.oneof(
      { weight: 4, arbitrary: fc.double({ min, max, noNaN: true }) },
      fc.constantFrom(min, max),
    );
  },
  string: textOf,
  array: (schema, spot) => {
    const minLength = numberOf(schema['minItems'], 0);
    const bounds = { minLength, maxLength: Math.max(minLength, 3) };
    const items = valid(asObject(schema['items']), spot);
    return schema['uniqueItems'] === true
      ? fc.uniqueArray(items, { ...bounds, comparator: 'SameValue' })
      : fc.array(items, bounds);
  },
  object: objectOf,
};

function textOf(schema: Json, { name, type }: Spot): fc.Arbitrary<unknown> {
  const { format, pattern, examples } = schema;
  if (name === 'photo_id' || name === 'logo_id')
    return known('asset').map((id) => `/api/v0/asset/${id}/file`);
  if (format === 'uuid')
    return fc.oneof(
      { weight: name === 'id' ? 1 : 9, arbitrary: known(REFERS[name] ?? type) },
      { weight: name === 'id' ? 9 : 1, arbitrary: fc.uuid({ version: 4 }) },
    );
  const made = FORMATS[String(format)]?.(name, type);
  if (made) return made;
  if (typeof pattern === 'string')
    return fc.stringMatching(new RegExp(pattern)).map((text) => text.replace(/[\f\v]/g, ' '));
  const texts = plainText(numberOf(schema['minLength'], 0), numberOf(schema['maxLength'], 300));
  return Array.isArray(examples)
    ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...(examples as string[])) }, texts)
    : texts;
}

const FORMATS: Readonly<Record<string, (name: string, type: string) => fc.Arbitrary<string>>> = {
  'idn-email': (name, type) => {
    const isPrivate = type === 'user' || name === 'submitter_email';
    return fc.uuid().map((id) => `${id}@${isPrivate ? PRIVATE_DOMAIN : 'places.example.org'}`);
  },
  uri: () => fc.webUrl({ withQueryParameters: true }),
  password: () => fc.uuid().map((id) => `${SECRET} ${id}`),
  'date-time': () => instants,
};

const instants = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Text of so many characters as JSON Schema counts them: Unicode's, not JavaScript's. */
function plainText(min: number, max: number): fc.Arbitrary<string> {
  const fit = (text: string): string =>
    [...text, ...'x'.repeat(Math.max(0, min - [...text].length))].slice(0, max).join('');
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).map(fit) },
    { weight: 3, arbitrary: fc.lorem({ maxCount: 4 }).map(fit) },
    { weight: 1, arbitrary: fc.constantFrom(min, max).map((length) => 'x'.repeat(length)) },
  );
}

/** Languages are the names of localized texts, which most open objects are. */
const NAMES = fc.constantFrom('en', 'fr', 'pt-BR', 'es', 'habitat', 'samplingEffort', 'key');

const ABSENT = Symbol('absent');

/** How many in twelve have a field that may be absent. */
const OPTIONAL = 3;

function objectOf(schema: Json, { type: around }: Spot): fc.Arbitrary<Json> {
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const given = asObject(schema['properties']);
  // An operation of a batch says what it is about.
  const [about] = (asObject(given['type'])['enum'] ?? []) as readonly unknown[];
  const isOperation = required.has('op');
  const type = TYPES.find((one) => isOperation && one === about) ?? around;
  const properties = Object.entries(given);
  const fields = properties.map(([name, property]) => {
    const value = valid(asObject(property), { name: isOperation ? 'object' : name, type });
    const isPresent = fc
      .integer({ min: 1, max: 12 })
      .map((n) => required.has(name) || n <= OPTIONAL);
    return fc
      .tuple(isPresent, value)
      .map(([present, given]): [string, unknown] => [name, present ? given : ABSENT]);
  });
  const further = schema['additionalProperties'];
  const more: fc.Arbitrary<Json> =
    properties.length > 0 || further === false
      ? fc.constant({})
      : fc.dictionary(NAMES, valid(asObject(further), { name: '', type }), { maxKeys: 2 });
  return fc.tuple(more, ...fields).map(([others, ...entries]) => ({
    ...others,
    ...Object.fromEntries(entries.filter(([, value]) => value !== ABSENT)),
  }));
}
