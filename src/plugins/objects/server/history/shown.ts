/** What a caller may see of the changes that the history has recorded. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../../core/caller';
import { bind, raw, slot, sql } from '../database/sql';
import type { Field, Resource } from '../declare/completed';
import { definitionOf, emptyOf } from '../kinds';
import type { Model } from '../read/model';
import type { Facts } from '../read/facts';
import type { TypeAccess } from '../rights/access';
import { callerArgs } from '../rights/caller-args';
import { reaches } from '../declare/row';
import { viewOf } from '../declare/views';
import type { SiteSettings } from '../site/settings';
import type { Body } from '../declare/objects';
import type { StoredEntry } from './page';
import type { FieldChange } from '../write/history-entries';
import { isSecret } from '../kinds/traits';

/** The fields of a type that a caller sees, and its view of them. */
export interface Sight {
  readonly resource: Resource;
  readonly fields: ReadonlyMap<string, Field>;
  readonly view: string;
  readonly isStranger: boolean;
}

/** A change as it is shown: of a secret only that it was changed. */
export type ShownChange = FieldChange | Pick<FieldChange, 'path'>;

/** What the caller sees of objects to which it has these relations. */
export const sightOf = (
  resource: Resource,
  access: TypeAccess,
  { relations, view, isStranger }: Facts,
): Sight => ({
  resource,
  view,
  isStranger,
  fields: new Map(
    [...resource.fields].filter(([, field]) => reaches(access.seen(field), relations)),
  ),
});

/** The changes of an entry that a caller sees, as it sees them. */
export function seenChanges(
  { resource, fields, view, isStranger }: Sight,
  { action, changes }: Pick<StoredEntry, 'action' | 'changes'>,
  site: SiteSettings,
): ShownChange[] {
  const states = statesOf(resource, action, changes);
  return changes.flatMap((change): ShownChange[] => {
    const known = resource.fields.get(change.path);
    if (known && isSecret(known)) return isWhole(action) ? [] : [{ path: change.path }];
    const field = fields.get(change.path);
    const as = field ? viewOf(field, view, site) : 'hidden';
    if (as === 'shown') return isStranger ? toStrangers(change, field) : [change];
    // What was not changed is not known as it was then.
    if (as === 'hidden' || !as.from.every((name) => name in states.after)) return [];
    const [before, after] = [as.as(states.before, site), as.as(states.after, site)];
    return isDeepStrictEqual(before, after) ? [] : [{ path: change.path, before, after }];
  });
}

/** Whether the entry of an action has all fields of the object. */
const isWhole = (action: string): boolean => action === 'create' || action === 'delete';

/** A change as strangers see it; none where they see none. */
function toStrangers(change: FieldChange, field: Field | undefined): FieldChange[] {
  const { toStrangers: seen = null } = field ?? {};
  if (!seen) return [change];
  const [before, after] = [seen(change.before), seen(change.after)];
  return isDeepStrictEqual(before, after) ? [] : [{ path: change.path, before, after }];
}

/** What is known of an object before and after a change: the changed fields; all of them of a new or deleted object. */
function statesOf(
  { fields }: Resource,
  action: string,
  changes: readonly FieldChange[],
): Readonly<Record<'before' | 'after', Body>> {
  const others = isWhole(action) ? [...fields.values()] : [];
  const state = (side: 'before' | 'after'): Body => ({
    ...Object.fromEntries(others.map((field) => [field.name, emptyOf(field)])),
    ...Object.fromEntries(changes.map((change) => [change.path, change[side]])),
  });
  return { before: state('before'), after: state('after') };
}

/** Replaces references that a caller may not know about by null. */
export type Redact = (field: Field, value: unknown) => unknown;

/** @param shown what the caller is going to be shown: of each type that it refers to, one statement */
export async function redactionOf(
  model: Model,
  caller: Caller,
  shown: readonly { readonly field: Field; readonly change: ShownChange }[],
): Promise<Redact> {
  const named = new Map<string, Set<string>>();
  for (const { field, change } of shown) {
    if (field.to === null || readsAll(model, field.to, caller)) continue;
    const ids = named.get(field.to) ?? new Set<string>();
    named.set(field.to, ids);
    const values = 'before' in change ? [change.before, change.after] : [];
    for (const item of values.flat()) {
      const id = idOf(field, item);
      if (id !== null) ids.add(id);
    }
  }
  const known = new Map<string, ReadonlySet<string>>();
  for (const [type, ids] of named) known.set(type, await readable(model, type, [...ids], caller));
  return (field, value) => {
    const ids = field.to === null ? undefined : known.get(field.to);
    if (!ids) return value;
    const redacted = (item: unknown): unknown => {
      const id = idOf(field, item);
      return id !== null && ids.has(id) ? item : null;
    };
    return Array.isArray(value) ? value.map((item: unknown) => redacted(item)) : redacted(value);
  };
}

const idOf = ({ kind }: Field, item: unknown): string | null =>
  item === null || item === undefined ? null : (definitionOf(kind).referredId?.(item) ?? null);

const readsAll = (model: Model, type: string, caller: Caller): boolean =>
  model.find(type)?.for(caller).access.extent('read') === 'all';

/** Those of these objects that exist and that the caller may read. */
async function readable(
  model: Model,
  type: string,
  ids: readonly string[],
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const target = model.find(type);
  if (!target || ids.length === 0) return new Set();
  const { access } = target.for(caller);
  const { dialect } = model.database;
  const found = await model.database.read(
    bind(
      sql`select o.document_id from ${raw(target.resource.table)} o
       where o.document_id in (select j.value from ${dialect.jsonItems(sql`${slot('ids')}`)})
       and ${access.condition(access.extent('read'), 'o')}`,
      { ids: JSON.stringify(ids), ...callerArgs(caller, model.clock()) },
    ),
  );
  return new Set(found.map(([id]) => String(id)));
}
