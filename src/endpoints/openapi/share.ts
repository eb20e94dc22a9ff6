/** What several calls or schemas have is described once, and referred to. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { ref } from './envelope';

/** The operations of a document by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

interface Shared {
  readonly name: string;
  readonly type: string;
  readonly parameter: JsonSchema;
  uses: number;
}

/**
 * Replaces the parameters that are the same in several calls by references.
 *
 * @returns the paths with the references, and the parameters by the names that they refer to: that of the parameter, or
 * `<type>.<name>` where most of the calls mean another one by it
 */
export function shareParameters(paths: Paths): {
  readonly paths: Paths;
  readonly parameters: Readonly<Record<string, JsonSchema>>;
} {
  const found = new Map<string, Shared>();
  for (const parameter of parametersIn(paths)) {
    const text = JSON.stringify(parameter.described);
    const known = found.get(text);
    if (known) known.uses += 1;
    else found.set(text, { ...parameter, parameter: parameter.described, uses: 1 });
  }
  const names = namesOf([...found].filter(([, { uses }]) => uses > 1));
  const parameters = Object.fromEntries(
    [...names].map(([text, name]) => [name, found.get(text)?.parameter ?? {}]),
  );
  const shared = mapOperations(paths, (operation) => {
    const own = operation['parameters'] as readonly JsonSchema[] | undefined;
    if (!own) return operation;
    return {
      ...operation,
      parameters: own.map((parameter) => {
        const name = names.get(JSON.stringify(parameter));
        return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
      }),
    };
  });
  return { paths: shared, parameters };
}

function parametersIn(paths: Paths) {
  return Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ tags, parameters }) =>
      ((parameters ?? []) as readonly JsonSchema[]).map((described) => ({
        name: String(described['name']),
        type: String((tags as readonly string[])[0]),
        described,
      })),
    ),
  );
}

/** The most used of those with one name gets it; a parameter of one type alone does not take it from another. */
function namesOf(shared: readonly (readonly [string, Shared])[]): Map<string, string> {
  const taken = new Set<string>();
  const byUse = [...shared].sort(([, a], [, b]) => b.uses - a.uses);
  return new Map(
    byUse.map(([text, { name, type }]) => {
      const chosen = taken.has(name) ? `${type}.${name}` : name;
      taken.add(chosen);
      return [text, chosen];
    }),
  );
}

/** A value with references in place of the schemas that have a name. @param named the schemas by their names */
export function referring(value: unknown, named: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(value)) return value.map((one) => referring(one, named));
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  const known = Object.entries(named).find(([, one]) => JSON.stringify(one) === text);
  if (known) return ref(known[0]);
  const entries = Object.entries(value).map(([key, one]) => [key, referring(one, named)]);
  return Object.fromEntries(entries);
}

/** The paths with each operation changed. */
export const mapOperations = (paths: Paths, change: (operation: JsonSchema) => JsonSchema): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, change(operation)]),
      ),
    ]),
  );
