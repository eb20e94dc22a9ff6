/** The envelope of a success. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';

/** A reference to a named schema: `Encounter`. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The name of a schema: `site_settings` gives `SiteSettings`. */
export const pascalCase = (name: string): string =>
  name.toLowerCase().replace(/(^|[_-])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

export const UUID: JsonSchema = { type: 'string', format: 'uuid' };

/** An object with these properties, all of them required. */
export const whole = (properties: Readonly<Record<string, JsonSchema>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** A successful response with this content, that tells nothing beside it. */
export const success = (response: JsonSchema, further: Record<string, JsonSchema> = {}) =>
  whole({
    success: { type: 'boolean', const: true },
    response,
    transactionId: ref('TransactionId'),
    ...further,
  });

/** A successful response of a change, which may tell its user more. */
export function successOfChange(response: JsonSchema): JsonSchema {
  const schema = success(response);
  return { ...schema, properties: { ...schema.properties, message: ref('SuccessMessage') } };
}

export const TRANSACTION_ID: JsonSchema = {
  ...UUID,
  description: 'The same as in the header `X-Transaction-Id` and in every log line.',
};
