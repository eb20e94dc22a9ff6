/** The OpenAPI description of parameters. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { UUID } from './envelope';

export const ID_PARAMETER: JsonSchema = { name: 'id', in: 'path', required: true, schema: UUID };

export const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  schema: { type: 'string' },
  description,
});

/** A query parameter with one value. @param description null where its schema says all */
export const queryParameter = (
  name: string,
  schema: JsonSchema,
  description: string | null,
): JsonSchema => ({
  name,
  in: 'query',
  schema,
  ...(description === null ? {} : { description }),
});

/** A query parameter with several values, separated by commas: the style is `form`, as it is where nothing is said. */
export const listParameter = (
  name: string,
  items: JsonSchema,
  description: string | null,
  bounds: JsonSchema = {},
): JsonSchema => ({
  ...queryParameter(name, { type: 'array', items, minItems: 1, ...bounds }, description),
  explode: false,
});
