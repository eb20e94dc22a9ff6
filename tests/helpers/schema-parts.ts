/** Parts of JSON Schemas, with what they refer to. */
import { asObject, at, type Json } from './json';
import { resolve } from './openapi';

/** A schema with what it refers to and extends: what is beside a reference counts, too. */
export function flat(document: Json, schema: unknown): Json {
  const { $ref: ref, allOf, ...own } = asObject(schema);
  const bases = [
    ...(ref === undefined ? [] : [resolve(document, schema)]),
    ...((allOf as readonly unknown[] | undefined) ?? []),
  ].map((base) => flat(document, base));
  return [...bases, own].reduce<Json>(
    (all, one) => ({
      ...all,
      ...one,
      ...merged('properties', all, one),
      ...(all['required'] && one['required']
        ? { required: [all['required'], one['required']].flat() }
        : {}),
    }),
    {},
  );
}

const merged = (keyword: string, one: Json, other: Json): Json =>
  one[keyword] && other[keyword]
    ? { [keyword]: { ...asObject(one[keyword]), ...asObject(other[keyword]) } }
    : {};

/** The types that a schema allows; none where it allows any. */
export const typesOf = ({ type, const: constant }: Json): string[] =>
  type === undefined
    ? constant === undefined
      ? []
      : [typeof constant]
    : ([type].flat() as string[]);

/** The values that a schema allows, as JSON; undefined where it does not list them. */
export function valuesOf(schema: Json): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  return (values as readonly unknown[] | undefined)?.map((value) => JSON.stringify(value));
}

/** The alternatives of a schema: those of `anyOf`, or itself. */
export const alternativesOf = (document: Json, schema: unknown): unknown[] =>
  (flat(document, schema)['anyOf'] as unknown[] | undefined) ?? [schema];

/** What an alternative is recognized by: its message key, the name of its schema, or its types. */
export function nameOfAlternative(document: Json, schema: unknown): string {
  const whole = flat(document, schema);
  const key =
    at(whole, 'properties', 'key', 'const') ??
    at(whole, 'properties', 'message', 'properties', 'key', 'const');
  if (typeof key === 'string') return key;
  const ref = at(schema, '$ref');
  if (typeof ref === 'string') return ref.replace(/^.*\/schemas\//, '');
  const named = Object.keys(asObject(whole['properties']));
  return [...typesOf(whole), ...named].join(' ');
}

type IsNarrower = (before: unknown, after: unknown) => boolean;

const lower: IsNarrower = (before, after) =>
  after !== undefined && (before === undefined || Number(after) < Number(before));
const higher: IsNarrower = (before, after) =>
  after !== undefined && Number(after) > Number(before ?? Number.NEGATIVE_INFINITY);
const another: IsNarrower = (before, after) =>
  after !== undefined && JSON.stringify(before) !== JSON.stringify(after);

/** Keywords of what is sent, and when the later one accepts less. */
export const NARROWING: Readonly<Record<string, IsNarrower>> = {
  maxLength: lower,
  maximum: lower,
  maxItems: lower,
  maxProperties: lower,
  minLength: higher,
  minimum: higher,
  minItems: higher,
  pattern: another,
  format: another,
  patternProperties: another,
};
