/** Parsed JSON of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON value as an object; anything else has no members. */
export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** The value at the end of a path of names. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((current, name) => asObject(current)[name], value);

/** A JSON text as a value, undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
