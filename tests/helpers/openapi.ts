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

/** The schema of a JSON body in a response or a request body, undefined when none is documented. */
export const jsonSchema = (described: Json): Json | undefined => {
  const schema = at(described, 'content', 'application/json', 'schema');
  return schema === undefined ? undefined : asObject(schema);
};
