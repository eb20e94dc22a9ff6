import { asObject, at, type Json } from './json';

/** One path of the document that a request's path fits, with its operations by method. */
export interface DocumentedPath {
  readonly template: string;
  readonly operations: Json;
}

/** Finds the path of a request: exact to the letter, a slash at the end being ignored. */
export function findPath(document: Json, path: string): DocumentedPath | null {
  const exact = path.length > 1 ? path.replace(/\/$/, '') : path;
  for (const [template, operations] of Object.entries(asObject(document['paths']))) {
    const pattern = template
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+');
    if (new RegExp(`^${pattern}$`).test(exact))
      return { template, operations: asObject(operations) };
  }
  return null;
}

/** The value of `Allow` for a path. */
export function methodsOf({ operations }: DocumentedPath): string[] {
  const methods = Object.keys(operations).map((method) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** What a `$ref` of the document points to; anything else is itself. */
export function resolve(document: Json, schema: unknown): Json {
  const ref = at(schema, '$ref');
  if (typeof ref !== 'string') return asObject(schema);
  return asObject(at(document, ...ref.replace(/^#\//, '').split('/')));
}

/** The parameters of an operation, with what they refer to; of an object that is exploded, each of its properties. */
export const parametersOf = (document: Json, operation: unknown): Json[] =>
  ((at(operation, 'parameters') as readonly Json[] | undefined) ?? []).flatMap((given) => {
    const parameter = resolve(document, given);
    const schema = resolve(document, parameter['schema']);
    const { properties } = schema;
    if (parameter['explode'] !== true || properties === undefined) {
      const items = schema['items'] && resolve(document, schema['items']);
      return [{ ...parameter, schema: items ? { ...schema, items } : schema }] as Json[];
    }
    return Object.entries(asObject(properties)).map(([name, property]) => ({
      in: parameter['in'],
      name,
      schema: resolve(document, property),
    }));
  });

/** The statuses and the keys with which an operation may be refused. */
export function refusalKeys(document: Json, operation: unknown): Map<string, string[]> {
  const responses = Object.entries(asObject(at(operation, 'responses')));
  return new Map(
    responses.flatMap(([status, given]) => {
      const keys = keysIn(document, jsonSchema(resolve(document, given)));
      return keys.length === 0 ? [] : [[status, keys] as [string, string[]]];
    }),
  );
}

/** The keys of the messages of a refusal's schema. */
function keysIn(document: Json, schema: unknown): string[] {
  const choices = asObject(schema)['anyOf'];
  if (Array.isArray(choices)) return choices.flatMap((choice) => keysIn(document, choice));
  const resolved = resolve(document, schema);
  const key = at(resolved, 'properties', 'message', 'properties', 'key', 'const');
  return typeof key === 'string' ? [key.replace('API_RESPONSE_', '')] : [];
}

/** The statuses with which any call may be refused, which the document tells as `default`. */
const GENERAL_STATUSES: ReadonlySet<number> = new Set([
  400, 401, 403, 408, 413, 414, 415, 429, 431, 500, 503,
]);

/** The response of an operation with a status; undefined where it is not documented. */
export function responseOf(document: Json, operation: Json, status: number): Json | undefined {
  const responses = asObject(operation['responses']);
  const general = GENERAL_STATUSES.has(status) ? responses['default'] : undefined;
  const documented = responses[String(status)] ?? general;
  return documented === undefined ? undefined : resolve(document, documented);
}

/** The schema of a JSON body in a response or a request body, undefined when none is documented. */
export const jsonSchema = (described: Json): Json | undefined => {
  const schema = at(described, 'content', 'application/json', 'schema');
  return schema === undefined ? undefined : asObject(schema);
};
