import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { isEmail } from '#app/core/formats';
import { asObject, type Json } from './json';

/** Keywords of ours that say something to readers alone. */
const ANNOTATIONS = ['x-darwin-core-term', 'x-darwin-core-class'];

/** Schemas that answers are held against: stricter about form than what callers may send. */
const SENT_FORMATS = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
};

/** What the shared schemas are referred to by. */
const DOCUMENT = 'https://oms.example.org/document';

/** Compiles the schemas of an OpenAPI document. */
export interface SchemaCompiler {
  /** A schema for what a caller sends, as it is. */
  request(schema: Json): ValidateFunction;
  /** A schema for what the service sends: an object has the fields that are declared, and no other. */
  response(schema: Json): ValidateFunction;
}

export function createSchemaCompiler(document: Json): SchemaCompiler {
  const shared = asObject(asObject(document['components'])['schemas']);
  const compiler = (closed: boolean, formats: Readonly<Record<string, RegExp>>) => {
    const ajv = new Ajv2020({
      strict: true,
      // A schema that extends another requires properties of it, and does not repeat that it is an object.
      strictRequired: false,
      strictTypes: false,
      allErrors: true,
      allowUnionTypes: true,
    });
    addFormats(ajv);
    ajv.addFormat('idn-email', isEmail);
    for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
    ajv.addVocabulary(ANNOTATIONS);
    // Checked and compiled once, and not with each schema that refers to it.
    ajv.addSchema({
      $id: DOCUMENT,
      $defs: {
        ...asObject(localize(shared, closed)),
        ...Object.fromEntries(
          Object.entries(shared).map(([name, one]) => [name + BASE, localize(one, closed, true)]),
        ),
      },
    });
    return (schema: Json) => ajv.compile(asObject(localize(schema, closed)));
  };
  return { request: compiler(false, {}), response: compiler(true, SENT_FORMATS) };
}

/** Beside each shared schema is the same for those that extend it: they close it, with what they add. */
const BASE = ':base';

/**
 * The schema with its references to the shared ones, and closed where it lists its properties, those of the schemas that it
 * extends included.
 *
 * @param isBase whether another schema extends it
 */
function localize(schema: unknown, closed: boolean, isBase = false): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => localize(entry, closed));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref'
        ? String(value).replace('#/components/schemas/', `${DOCUMENT}#/$defs/`) +
          (isBase ? BASE : '')
        : key === 'allOf'
          ? (value as unknown[]).map((base) => localize(base, closed, true))
          : localize(value, closed),
    ]),
  );
  const isOpen = 'allOf' in copy || (copy['type'] === 'object' && 'properties' in copy);
  const isTold = 'additionalProperties' in copy || 'unevaluatedProperties' in copy;
  return closed && isOpen && !isTold && !isBase ? { ...copy, unevaluatedProperties: false } : copy;
}
