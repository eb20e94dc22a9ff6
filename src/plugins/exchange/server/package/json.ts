import { acceptText } from '../../../../core/text';

/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty one. */
export function asRecord(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a trimmed, non-empty, well-formed text, else null. */
export function givenText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return acceptText(value) || null;
}
