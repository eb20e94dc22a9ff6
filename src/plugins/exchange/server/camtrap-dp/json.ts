/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function asRecord(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** The value as a list; an empty one when it is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text that says something, trimmed; null when it does not. */
export function asText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.normalize('NFC').trim();
  return text === '' ? null : text;
}
