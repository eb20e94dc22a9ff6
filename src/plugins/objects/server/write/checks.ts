/** Checks that need the database or the site settings: references, regions, custom fields, unique rules. */
import { issue, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { bind, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, sideBySide, type Work } from '../database/work';
import type { RuleContext } from '../declare/behavior';
import type { Field, Resource, Unique } from '../declare/completed';
import { deletedWith } from './deleted-ids';
import { referredIds } from '../kinds';
import { callerArgs } from '../rights/caller-args';
import type { SiteSettings } from '../site/settings';
import type { Body } from '../declare/objects';
import { checkCustomFields } from '../validate/custom-fields';
import type { WriteContext } from './context';
import { isReference, traitsOf } from '../kinds/traits';

/** An ID that the change refers to, and its path. */
export interface Mention {
  readonly type: string;
  readonly id: string;
  readonly path: string;
  /** What one has to be able to do with the object. */
  readonly right: string;
}

/** @param before the object as it is stored: what it refers to already may stay, even if nobody could add it now */
function mentionsOf(field: Field, before: Body | null, value: unknown): Mention[] {
  const { name, to: type, attach: right } = field;
  if (type === null || value === null || value === undefined) return [];
  const known = new Set(referredIds(field, before?.[name]).map(({ id }) => id));
  return referredIds(field, value)
    .filter(({ id }) => !known.has(id))
    .map(({ id, path }) => ({ type, id, path, right }));
}

/**
 * Finds what an object newly refers to through these fields, of which it has these values, and keeps it from being deleted until the
 * transaction ends. What does not exist, or is not the caller's to refer to, is `NO_SUCH`.
 */
export function* checkReferences(
  context: WriteContext,
  fields: readonly Field[],
  before: Body | null,
  valueOf: (name: string) => unknown,
): Work<readonly Issue[]> {
  const missing = yield* missingMentions(context, fields, before, valueOf);
  return missing.map(({ path, type }) => issue(path, 'NO_SUCH', { type }));
}

/** What an object newly refers to through these fields, and is not there for the caller. What is, is kept as it is. */
export function* missingMentions(
  context: WriteContext,
  fields: readonly Field[],
  before: Body | null,
  valueOf: (name: string) => unknown,
): Work<readonly Mention[]> {
  let mentions = fields.flatMap((field) => mentionsOf(field, before, valueOf(field.name)));
  const missing: Mention[] = [];
  for (let [first] = mentions; first; [first] = mentions) {
    const { type, right } = first;
    const isAlike = (one: Mention): boolean => one.type === type && one.right === right;
    const alike = mentions.filter(isAlike);
    const there = yield* existing(context, type, right, alike);
    missing.push(...alike.filter(({ id }) => !there.has(id)));
    mentions = mentions.filter((one) => !isAlike(one));
  }
  return missing;
}

function* existing(
  context: WriteContext,
  type: string,
  right: string,
  mentions: readonly Mention[],
): Work<ReadonlySet<string>> {
  if (!context.model.find(type)) return new Set();
  const there = knownTo(context, type, right);
  const ids = new Set(mentions.flatMap(({ id }) => (there.has(id) ? [] : id)));
  if (ids.size > 0) yield* learn({ context, type, right, there, ids });
  return there;
}

/** The objects of a type that are known to exist for a caller with a right; to be added to. */
function knownTo(
  { model, caller, now, references }: WriteContext,
  type: string,
  right: string,
): Set<string> {
  const statement = model.type(type).for(caller).idsWith(right);
  // Those whom it does not ask about are given the same answer: it has the parameter of the IDs alone.
  if (statement.parameters.length === 1) return references.existing(statement, '');
  const { values } = bind(statement, { ids: '', ...callerArgs(caller, now) });
  return references.existing(statement, JSON.stringify(values));
}

/** What has to be known of the objects of a type. */
interface Unknown {
  readonly context: WriteContext;
  readonly type: string;
  readonly right: string;
  /** What is known. */
  readonly there: Set<string>;
  readonly ids: Set<string>;
}

function* learn({ context, type, right, there, ids }: Unknown): Work<void> {
  for (const id of yield* idsAmong(context, type, right, [...ids])) there.add(id);
}

/**
 * Looks up for many new objects of one type at once what `checkReferences` will ask for. Their values are not checked
 * yet.
 */
export function* lookUpReferences(
  fields: readonly Field[],
  objects: readonly { readonly context: WriteContext; readonly body: Body }[],
): Work<void> {
  const unknown = new Map<Set<string>, Unknown>();
  for (const field of fields) {
    const { name, to: type, attach: right } = field;
    if (!isReference(field) || type === null) continue;
    for (const { context, body } of objects) {
      const id = body[name];
      if (typeof id !== 'string' || !isUuid(id)) continue;
      const there = knownTo(context, type, right);
      const { ids } = unknown.get(there) ?? { ids: new Set() };
      if (ids.size === 0) unknown.set(there, { context, type, right, there, ids });
      if (!there.has(id.toLowerCase())) ids.add(id.toLowerCase());
    }
  }
  const asked = [...unknown.values()].filter(({ ids }) => ids.size > 0);
  yield* sideBySide(asked.map(learn), () => false);
}

/** Which of these objects exist and may be read by the caller, who has a right to them. */
export function* idsAmong(
  { model, caller, now, references }: WriteContext,
  type: string,
  right: string,
  ids: readonly string[],
): Work<readonly string[]> {
  const statement = model.type(type).for(caller).idsWith(right);
  const args = { ids: JSON.stringify(ids), ...callerArgs(caller, now) };
  const rows = yield* ask(bind(statement, args));
  for (const [id, row = null] of rows) references.putRow(type, String(id), row);
  return rows.map(([id]) => String(id));
}

/** The issues of these fields that depend on the site settings. A value that is stored already is valid. */
export function checkSite(
  site: SiteSettings,
  type: string,
  fields: readonly Field[],
  before: Body | null,
  object: Body,
): Issue[] {
  return fields.flatMap((field) => {
    const value = object[field.name];
    const stored = before?.[field.name] ?? null;
    const { ofSite } = traitsOf(field);
    if (ofSite === 'fields') {
      const definitions = site.customFields[type] ?? [];
      return checkCustomFields(field.name, value as Body, (stored ?? {}) as Body, definitions);
    }
    if (ofSite !== 'regions' || value === null || value === stored) return [];
    return site.regions.some(({ id }) => id === value)
      ? []
      : [issue(field.name, 'NO_SUCH', { type: 'region' })];
  });
}

/** A unique rule that an object breaks. */
export interface Clash {
  readonly issue: Issue;
  /** The object that has the key already; null where the caller must not know it. */
  readonly id: string | null;
}

/** Finds the object that has the key of a unique rule. */
const keyHolder = ({ table }: Resource, { column }: Unique, key: SqlValue): Sql =>
  sql`select document_id from ${raw(table)} where ${raw(column)} = ${key}`;

/** The same for an ID; the row has no holder if a deleted object had it. */
const keyHolderEver = (resource: Resource, rule: Unique, key: SqlValue): Sql => {
  const holder = keyHolder(resource, rule, key);
  return rule.fields[0] === 'id' ? sql`${holder} union all ${deletedWith(String(key))}` : holder;
};

/** The unique rules, of these, that an object would break. */
export function* findClashes(
  context: WriteContext,
  resource: Resource,
  rules: readonly Unique[],
  around: RuleContext,
  after: Body,
): Work<readonly Clash[]> {
  const { before } = around;
  const clashes: Clash[] = [];
  for (const rule of rules) {
    if (rule.holders) {
      for (const { path, id } of yield* rule.holders(after, around)) {
        const [known = null] = yield* idsAmong(context, resource.type, 'read', [id]);
        clashes.push({ issue: issue(path, 'TAKEN', {}), id: known });
      }
      continue;
    }
    const key: SqlValue = rule.key(after);
    if (key === null || (before && rule.key(before) === key)) continue;
    if (context.inserts && (yield* context.inserts.isFree(resource, rule, key))) continue;
    const taken = yield* askOne(keyHolderEver(resource, rule, key));
    if (!taken) continue;
    const ids = rule.discreet || taken[0] === null ? [] : [String(taken[0])];
    const [known = null] = yield* idsAmong(context, resource.type, 'read', ids);
    clashes.push(clashOf(rule, known));
  }
  return clashes;
}

/** The ID of an object that the caller may not know about is refused as malformed. */
function clashOf({ reportedAt: path }: Unique, id: string | null): Clash {
  if (path === 'id' && id === null) {
    return { issue: issue(path, 'FORMAT', { expected: 'uuid' }), id };
  }
  return { issue: issue(path, 'TAKEN', {}), id };
}
