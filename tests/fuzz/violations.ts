/** Values that miss a schema by one violation, made from values that fit it. */
import { asObject, type Json } from '../helpers/json';
import { alternativesOf, isNullable, numberOf, typesOf } from './values';

/** One violation: what it is, where, and what makes the whole value with it. */
export interface Violation {
  readonly name: string;
  readonly make: () => unknown;
}

interface Place {
  /** Names and positions with dots, as in the answer's `invalid`. */
  readonly path: string;
  /** The whole value with another one in this place. */
  readonly put: (value: unknown) => unknown;
}

/** Deeper than a body may be. */
const DEPTH = 40;

/** Violations of what reads a body, which come before those of fields. */
export const TOO_DEEP = 'too deep';

/** All violations that are one step away from a value. */
export const violationsOf = (schema: Json, value: unknown): Violation[] =>
  inPlace(schema, value, { path: '', put: (given) => given });

function inPlace(schema: Json, value: unknown, place: Place): Violation[] {
  const alternatives = alternativesOf(schema).filter(({ type }) => type !== 'null');
  const one = alternatives[0];
  if (one) {
    const types = new Set(alternatives.flatMap(typesOf));
    return [
      ...ofType(types, isNullable(schema), place),
      ...ofAlternative(one, value, place).filter(({ name }) => !name.startsWith('type of')),
    ];
  }
  return [
    ...ofType(new Set(typesOf(schema)), isNullable(schema), place),
    ...ofAlternative(schema, value, place),
  ];
}

const at = ({ path, put }: Place, violation: string, value: unknown): Violation => ({
  name: `${violation} of ${path || 'the whole'}`,
  make: () => put(value),
});

/** Values of types that are not among these. */
function ofType(types: ReadonlySet<unknown>, mayBeNull: boolean, place: Place): Violation[] {
  if (types.size === 0) return [];
  const wrong = Object.entries(OF_OTHER_TYPES).flatMap(([type, values]) => {
    const isAllowed = types.has(type) || (type === 'integer' && types.has('number'));
    return isAllowed || (type === 'number' && types.has('integer')) ? [] : values;
  });
  const nested = Array.from({ length: DEPTH }).reduce<unknown>((inner) => [inner], 'x');
  return [
    ...wrong.map((value) => at(place, 'type', value)),
    ...(mayBeNull ? [] : [at(place, 'null', null)]),
    at(place, TOO_DEEP, nested),
  ];
}

const OF_OTHER_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['5', 'true', ''],
  number: [5, -1.5],
  boolean: [true, false],
  array: [[], ['x'], [null]],
  object: [{}, { id: 'x' }],
};

type Violate = (schema: Json, value: unknown, place: Place) => Violation[];

function ofAlternative(schema: Json, value: unknown, place: Place): Violation[] {
  const allowed = schema['enum'] ?? ('const' in schema ? [schema['const']] : undefined);
  const others =
    allowed === undefined ? [] : ['', 'other', String(asList(allowed)[0]).toUpperCase()];
  return [
    ...others.map((other) => at(place, 'enum', other)),
    ...typesOf(schema).flatMap((type) => OF_SCHEMA[String(type)]?.(schema, value, place) ?? []),
  ];
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const OF_SCHEMA: Readonly<Record<string, Violate>> = {
  string: ofText,
  number: ofNumber,
  integer: (schema, value, place) => [
    ...ofNumber(schema, value, place),
    at(place, 'fraction', numberOf(schema['minimum'], 0) + 0.5),
  ],
  array: ofArray,
  object: ofObject,
};

const NOT_OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'x', '1'],
  'idn-email': ['x', 'a@', '@example.org', 'a b@example.org', 'a@b@example.org'],
  uri: ['x', 'javascript:alert(1)', 'http://', '//example.org'],
  'date-time': ['x', '2021-13-01T00:00:00Z', '2021-02-30T00:00:00Z'],
};

function ofText(
  { maxLength, minLength, format, pattern }: Json,
  _: unknown,
  place: Place,
): Violation[] {
  const other = NOT_OF_FORMAT[String(format)] ?? [];
  return [
    ...(typeof maxLength === 'number' ? [at(place, 'maxLength', 'x'.repeat(maxLength + 1))] : []),
    ...(typeof minLength === 'number' && minLength > 0
      ? [
          at(place, 'minLength', 'x'.repeat(minLength - 1)),
          at(place, 'minLength', ' '.repeat(minLength)),
        ]
      : []),
    ...other.map((text) => at(place, 'format', text)),
    ...(typeof pattern === 'string'
      ? [at(place, 'pattern', '?'), at(place, 'pattern', 'a-b')]
      : []),
  ];
}

function ofNumber({ minimum, maximum }: Json, _: unknown, place: Place): Violation[] {
  return [
    ...(typeof minimum === 'number' ? [at(place, 'minimum', minimum - 1)] : []),
    ...(typeof maximum === 'number' ? [at(place, 'maximum', maximum + 1)] : []),
    at(place, 'range', 1e300),
  ];
}

function ofArray(schema: Json, value: unknown, place: Place): Violation[] {
  const items = asList(value);
  const { maxItems, minItems } = schema;
  const [first = 'x'] = items;
  return [
    ...(typeof maxItems === 'number'
      ? [at(place, 'maxItems', Array<unknown>(maxItems + 1).fill(first))]
      : []),
    ...(typeof minItems === 'number' && minItems > 0
      ? [at(place, 'minItems', items.slice(0, minItems - 1))]
      : []),
    ...(items.length > 0 ? [at(place, 'duplicates', [...items, first])] : []),
    ...inPlace(asObject(schema['items']), first, {
      path: `${place.path}.0`,
      put: (item) => place.put([item, ...items.slice(1)]),
    }),
  ];
}

/** Fields that objects of this service or of Strapi have, and that no caller may write. */
const STRANGERS = ['nothing', 'version', 'createdAt', 'documentId', 'permissions', '$ne', ''];

function ofObject(schema: Json, value: unknown, place: Place): Violation[] {
  const given = asObject(value);
  const properties = Object.entries(asObject(schema['properties']));
  const unknown = STRANGERS.filter((name) => !properties.some(([known]) => known === name));
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return [
    ...(schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false
      ? unknown.map((name) => at(place, 'unknown property', { ...given, [name]: 'x' }))
      : []),
    ...required.map((name) => {
      const { [name]: left, ...others } = given;
      return at(place, left === undefined ? 'nothing' : `missing ${name}`, others);
    }),
    ...properties.flatMap(([name, property]) =>
      inPlace(asObject(property), given[name], {
        path: place.path === '' ? name : `${place.path}.${name}`,
        put: (changed) => place.put({ ...given, [name]: changed }),
      }),
    ),
  ];
}
