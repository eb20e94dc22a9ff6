/** Checks that need the database or the site: references, regions, custom fields, unique rules. */
import { issue, type Issue } from '../../../../core/errors';
import { bind, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, type Work } from '../database/work';
import type { Field, Resource, Unique } from '../define/completed';
import { deletedWith } from '../history/deleted-ids';
import { CALLER } from '../rights/access';
import type { SiteSettings } from '../site';
import type { Body } from '../types';
import { checkCustomFields } from '../validate/custom-fields';
import type { WriteContext } from './context';

/** One ID that the change refers to, and where it does. */
interface Mention {
  readonly type: string;
  readonly id: string;
  readonly path: string;
}

function mentionsOf(field: Field, object: Body): Mention[] {
  const type = field.to;
  if (type === null) return [];
  const value = object[field.name];
  if (typeof value === 'string') return [{ type, id: value, path: field.name }];
  if (!Array.isArray(value)) return [];
  return value.map((id: unknown, position) => ({
    type,
    id: String(id),
    path: `${field.name}.${position}`,
  }));
}

/**
 * Finds what an object refers to through these fields, and keeps it from being deleted until the
 * transaction ends. What does not exist, or is not the caller's to read, is `NO_SUCH`.
 */
export function* checkReferences(
  context: WriteContext,
  fields: readonly Field[],
  object: Body,
): Work<readonly Issue[]> {
  const mentions = fields.flatMap((field) => mentionsOf(field, object));
  const issues: Issue[] = [];
  for (const type of new Set(mentions.map((mention) => mention.type))) {
    const ofType = mentions.filter((mention) => mention.type === type);
    const there = yield* existing(context, type, ofType);
    const missing = ofType.filter(({ id }) => !there.has(id));
    issues.push(...missing.map(({ path }) => issue(path, 'NO_SUCH', { type })));
  }
  return issues;
}

function* existing(
  context: WriteContext,
  type: string,
  mentions: readonly Mention[],
): Work<ReadonlySet<string>> {
  if (!context.model.find(type)) return new Set();
  const there = context.references.existing(type);
  const ids = mentions.flatMap(({ id }) => (there.has(id) ? [] : id));
  if (ids.length === 0) return there;
  for (const id of yield* readableAmong(context, type, ids)) there.add(id);
  return there;
}

/** Which of these objects exist and may be read by the caller. */
function* readableAmong(
  { model, caller }: WriteContext,
  type: string,
  ids: readonly string[],
): Work<readonly string[]> {
  const { readableIds } = model.type(type).for(caller);
  const args = { ids: JSON.stringify(ids), [CALLER]: caller.id ?? '' };
  return (yield* ask(bind(readableIds, args))).map(([id]) => String(id));
}

/** What the settings of the instance say against these fields of an object. What is stored already stays as it is. */
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
    if (field.kind === 'customFields') {
      const definitions = site.customFields[type] ?? [];
      return checkCustomFields(field.name, value as Body, (stored ?? {}) as Body, definitions);
    }
    if (field.kind !== 'region' || value === null || value === stored) return [];
    return site.regions.some(({ id }) => id === value)
      ? []
      : [issue(field.name, 'NO_SUCH', { type: 'region' })];
  });
}

/** A unique rule that an object breaks. */
export interface Clash {
  readonly issue: Issue;
  /** The object that has what this one wants; null where the caller is not told. */
  readonly id: string | null;
}

/** The object that has the key of a unique rule already. */
export const keyHolder = ({ table }: Resource, { column }: Unique, key: SqlValue): Sql =>
  sql`select document_id from ${raw(table)} where ${raw(column)} = ${key}`;

/** The same; of an ID, a row without a holder when it was that of an object that was deleted. */
const keyHolderEver = (resource: Resource, rule: Unique, key: SqlValue): Sql => {
  const holder = keyHolder(resource, rule, key);
  return rule.fields[0] === 'id' ? sql`${holder} union all ${deletedWith(String(key))}` : holder;
};

/** The unique rules, of these, that an object would break. `before` is null for one that is being made. */
export function* findClashes(
  context: WriteContext,
  resource: Resource,
  rules: readonly Unique[],
  before: Body | null,
  after: Body,
): Work<readonly Clash[]> {
  const clashes: Clash[] = [];
  for (const rule of rules) {
    const key: SqlValue = rule.key(after);
    if (key === null || (before && rule.key(before) === key)) continue;
    const taken = yield* askOne(keyHolderEver(resource, rule, key));
    if (!taken) continue;
    const ids = rule.discreet || taken[0] === null ? [] : [String(taken[0])];
    const [known = null] = yield* readableAmong(context, resource.type, ids);
    clashes.push(clashOf(rule, known));
  }
  return clashes;
}

/** An ID that an object has which the caller may not know of is no ID that one may choose. */
function clashOf({ fields, column }: Unique, id: string | null): Clash {
  const path = fields.at(-1) ?? column;
  if (path === 'id' && id === null) {
    return { issue: issue(path, 'FORMAT', { expected: 'uuid' }), id };
  }
  return { issue: issue(path, 'TAKEN', {}), id };
}
