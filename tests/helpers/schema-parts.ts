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
      ...merged(all, one),
      ...(all['required'] && one['required']
        ? { required: [all['required'], one['required']].flat() }
        : {}),
    }),
    {},
  );
}

/** The properties of two schemas that both hold: what both say of a property counts. */
function merged({ properties: one }: Json, { properties: other }: Json): Json {
  if (!one || !other) return {};
  const all: Record<string, unknown> = { ...asObject(one) };
  for (const [name, schema] of Object.entries(asObject(other)))
    all[name] = name in all ? { allOf: [all[name], schema] } : schema;
  return { properties: all };
}

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

/** The alternatives of a schema: those of `anyOf`, each with what is said beside them, or one for each of its types. */
export function alternativesOf(document: Json, schema: unknown): unknown[] {
  const { anyOf, ...beside } = flat(document, schema);
  if (Array.isArray(anyOf))
    return beside['properties']
      ? (anyOf as readonly Json[]).map((one) => ({ allOf: [beside, one] }))
      : anyOf;
  const { type, enum: values, ...rest } = beside;
  if (!Array.isArray(type)) return [schema];
  const others = Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {};
  return (type as readonly string[]).map((one) =>
    one === 'null' ? { type: one } : { ...rest, ...others, type: one },
  );
}

/** What an alternative is recognized by: its message key, the name of its schema, or its types. */
export function nameOfAlternative(document: Json, schema: unknown): string {
  const whole = flat(document, schema);
  const keyOf = (holder: Json): unknown =>
    at(flat(document, at(holder, 'properties', 'key')), 'const');
  const key = keyOf(whole) ?? keyOf(flat(document, at(whole, 'properties', 'message')));
  if (typeof key === 'string') return key;
  const name = /\/schemas\/(\w+)$/.exec(String(at(schema, '$ref')))?.[1];
  if (name !== undefined) return name;
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
  // Any bytes are `binary`.
  format: (before, after) => after !== 'binary' && another(before, after),
};
