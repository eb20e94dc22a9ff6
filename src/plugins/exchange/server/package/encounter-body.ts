import { parse, v5 as uuidV5 } from 'uuid';
import type { Body } from '../../../objects/server/declare/objects';

/** The namespace of the UUIDs of events. It must never change, or imports would give other UUIDs to the same event. */
const EVENT_NAMESPACE = parse('3987b19c-cf38-4783-9f31-e672f45df412');

/** The UUID of an event of a package: the same at every import, and different for other packages. */
export function eventId(source: string, event: string): string {
  return uuidV5(Buffer.from(JSON.stringify([source, event])), EVENT_NAMESPACE);
}

/** The fields that have a value. Parts are faster than one object of them, which V8 would make field by field. */
export function known(...parts: readonly Body[]): Body {
  const body: Record<string, unknown> = {};
  for (const fields of parts)
    for (const name in fields) if (isKnown(fields[name])) body[name] = fields[name];
  return body;
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}
