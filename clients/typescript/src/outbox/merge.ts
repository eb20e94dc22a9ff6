/** How changes of one object go together. */
import type { ConflictField, QueuedUpdate, Values } from './items.js';

/** Texts as the service keeps them: trimmed, NFC, lines ended by LF; tags in lower case, an empty list as none. */
function settled(value: unknown, field: string): unknown {
  if (typeof value === 'string') {
    const text = value.trim().normalize('NFC').replace(/\r\n?/g, '\n');
    return field === 'tags' ? text.toLowerCase() : text;
  }
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((part) => settled(part, field));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, settled((value as Values)[name], field)]);
}

/** Whether two values of a field are one to the service. */
export const isSame = (one: unknown, other: unknown, field: string): boolean =>
  JSON.stringify(settled(one, field)) === JSON.stringify(settled(other, field));

/** Those fields of an object. */
export const pick = (object: Values, fields: readonly string[]): Values =>
  Object.fromEntries(fields.map((field) => [field, object[field] ?? null]));

/** A queued update with further changes: the first base of a field stays, the last value wins. */
export function merged(before: QueuedUpdate | undefined, added: QueuedUpdate): QueuedUpdate {
  if (!before) return added;
  return {
    ...added,
    changes: { ...before.changes, ...added.changes },
    base: {
      version: before.base.version,
      values: { ...added.base.values, ...before.base.values },
    },
    tried: before.tried,
    photographs: [...before.photographs, ...added.photographs],
  };
}

/** An update of which these changes are being sent: until an answer comes, the object may have them. */
export function tryOf(before: QueuedUpdate, changes: Values): QueuedUpdate {
  const tried = { ...before.tried };
  for (const [field, value] of Object.entries(changes))
    tried[field] = [...(tried[field] ?? []), value];
  return { ...before, tried };
}

/** What is left of an update of which the service has taken this; undefined when that was all. */
export function afterSending(
  before: QueuedUpdate,
  sent: Pick<QueuedUpdate, 'changes' | 'photographs'>,
  version: number,
): QueuedUpdate | undefined {
  const left = Object.keys(before.changes).filter(
    (field) =>
      !(field in sent.changes) || !isSame(before.changes[field], sent.changes[field], field),
  );
  if (left.length === 0) return undefined;
  return {
    ...before,
    changes: pick(before.changes, left),
    base: { version, values: pick({ ...before.base.values, ...sent.changes }, left) },
    tried: {},
    photographs: before.photographs.filter((id) => !sent.photographs.includes(id)),
  };
}

/** What becomes of an update after somebody else has changed the object. */
export interface Rebased {
  /** The fields that are still to be changed, and go together with the object. */
  readonly open: readonly string[];
  readonly conflicts: readonly ConflictField[];
}

/**
 * Field by field: what is equal already is done, what nobody else has changed goes on, and so does what only an earlier try of
 * this update has changed. The rest is a conflict.
 */
export function rebased(
  { changes, base, tried }: Pick<QueuedUpdate, 'changes' | 'base' | 'tried'>,
  now: Values,
): Rebased {
  const open: string[] = [];
  const conflicts: ConflictField[] = [];
  for (const [field, mine] of Object.entries(changes)) {
    const theirs = now[field] ?? null;
    const before = base.values[field] ?? null;
    if (isSame(mine, theirs, field)) continue;
    const known = [before, ...(tried[field] ?? [])];
    if (known.some((value) => isSame(value, theirs, field))) open.push(field);
    else conflicts.push({ field, base: before, mine, theirs });
  }
  return { open, conflicts };
}

/** An update whose conflict is settled: these values, and what nobody disagrees with. */
export function resolved(
  item: QueuedUpdate,
  { version, fields }: { readonly version: number; readonly fields: readonly ConflictField[] },
  values: Values,
): QueuedUpdate | undefined {
  const theirs = Object.fromEntries(fields.map((one) => [one.field, one.theirs]));
  const changes = Object.entries({ ...item.changes, ...values }).filter(
    ([field, value]) =>
      !(field in theirs) || (field in values && !isSame(value, theirs[field], field)),
  );
  if (changes.length === 0) return undefined;
  return {
    ...item,
    changes: Object.fromEntries(changes),
    base: { version, values: { ...item.base.values, ...theirs } },
    conflict: null,
  };
}
