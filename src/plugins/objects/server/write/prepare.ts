/** Makes the new state of an object from a body: with its defaults, and fully checked. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, issue, malformed, type Issue } from '../../../../core/errors';
import type { Notice } from '../../../../core/notices';
import type { Work } from '../database/work';
import type { Field, Resource, Unique } from '../declare/completed';
import type { RuleContext } from '../declare/behavior';
import type { TypeModel } from '../read/model';
import type { Facts } from '../read/facts';
import { reaches } from '../declare/row';
import type { Body, CreateChange, UpdateChange, Written } from '../declare/objects';
import type { Checked } from '../validate/validator';
import { checkReferences, checkSite, findClashes, type Clash } from './checks';
import type { WriteContext } from './context';
import { withSortedEdges } from './edges';
import { findRecordClashes } from './record-keys';
import { redirectMerged } from './redirect';
import { checkTrees } from './tree';
import { isSecret } from '../kinds/traits';

/** The present state of the object: null and no relations on create. */
export interface PresentState {
  readonly id: string;
  readonly before: Body | null;
  readonly facts: Facts;
  /** The objects that become this one with the change. */
  readonly merged?: readonly string[];
}

type WithBody = CreateChange | UpdateChange;

/** The checked state of an object after a change, and what the user should be told of it. */
export interface Prepared {
  readonly after: Body;
  readonly notices: readonly Notice[];
}

export const withNotices = (written: Written, notices: readonly Notice[]): Written =>
  notices.length === 0 ? written : { ...written, notices };

/** @throws ApiError with all issues */
export function* prepare(
  context: WriteContext,
  known: TypeModel,
  change: WithBody,
  subject: PresentState,
): Work<Prepared> {
  const { before } = subject;
  const mode = before === null ? 'create' : 'update';
  const given = context.checked ?? known.validator.check(change.body, mode, context.now);
  const { checked, notices } = yield* redirectMerged(context, known, given, before);
  const faulty = new Set(checked.issues.map(({ path }) => path.split('.')[0] ?? ''));
  const rules: RuleContext = {
    caller: context.caller,
    site: context.site,
    dialect: context.model.database.dialect,
    names: context.model.names,
    now: context.now,
    before,
    findings: change.findings ?? {},
    given: faulty.size === 0 ? checked.values : without(checked.values, faulty),
    merged: subject.merged ?? [],
    references: context.references,
    notices: [...notices],
  };
  refuseForbidden(context, known, checked, subject, rules);
  const object = filled(known, checked, faulty, change, rules);
  const draft: Draft = { id: subject.id, before, faulty, object, rules };
  const found = yield* findFaults(context, known, checked, draft);
  const wanted = { ...object, id: checked.values['id'] ?? null };
  const clashes = yield* clashesOf(context, known, faulty, found, rules, wanted);
  refuse(known, found, clashes);
  const { transition } = known.resource;
  const sorted = settled(known, withSortedEdges(known.resource, object), rules);
  const after = before && transition ? transition(before, sorted, rules) : sorted;
  return { after, notices: rules.notices };
}

const without = (values: Body, faulty: ReadonlySet<string>): Body =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !faulty.has(name)));

/** The fields that this caller may not write. A caller who sees such a field may send its present value. */
function refuseForbidden(
  { caller }: WriteContext,
  known: TypeModel,
  { values, issues }: Checked,
  { before, facts }: PresentState,
  rules: RuleContext,
): void {
  const { access } = known.for(caller);
  // Fields that nobody can write, or that do not exist, have their own issues.
  const beyond = new Set(
    issues.flatMap(({ key, path }) => (key === 'UNKNOWN' || key === 'NOT_WRITABLE' ? path : [])),
  );
  const given = new Set([
    ...Object.keys(values),
    ...issues.map(({ path }) => path.split('.')[0] ?? ''),
  ]);
  const forbidden = [...known.resource.fields.values()].filter((field) => {
    const { name } = field;
    if (!given.has(name) || beyond.has(name)) return false;
    if ((before === null && field.onCreate) || reaches(access.written(field), facts.relations))
      return false;
    // On create, the caller counts as seeing a field that any relation sees: it becomes the owner, for instance.
    const seen = access.seen(field);
    const isSeen = before === null ? seen.length > 0 : reaches(seen, facts.relations);
    return !isSeen || !isDeepStrictEqual(values[name], unchanged(field, before, values, rules));
  });
  if (forbidden.length === 0) return;
  throw new ApiError(
    'FIELD_NOT_PERMITTED',
    {},
    forbidden.map(({ name }) => issue(name, 'NOT_PERMITTED', {})),
  );
}

/** The value of a field that is not sent. */
const unchanged = (
  { name, fill, default: byDefault }: Field,
  before: Body | null,
  values: Body,
  rules: RuleContext,
): unknown => (before ? before[name] : (fill?.(values, rules) ?? byDefault));

interface Draft extends Pick<PresentState, 'id' | 'before'> {
  /** The fields that have an issue already, and are not checked further. */
  readonly faulty: ReadonlySet<string>;
  readonly object: Body;
  readonly rules: RuleContext;
}

function* findFaults(
  context: WriteContext,
  { resource, asking }: TypeModel,
  { values, issues }: Checked,
  { id, before, faulty, object, rules }: Draft,
): Work<Issue[]> {
  const sound = asking.filter(
    ({ name, derived }) => !derived && (before === null || name in values) && !faulty.has(name),
  );
  // What is never stored may refer to objects, too.
  const valueOf = (name: string): unknown => (name in object ? object[name] : rules.given[name]);
  const missing = yield* checkReferences(context, sound, before, valueOf);
  const found = [
    ...issues,
    ...missing,
    ...checkSite(context.site, resource.type, sound, before, object),
  ];
  if (missing.length === 0)
    found.push(...(yield* checkTrees(context, resource.type, id, sound, object)));
  const unfit = new Set([...faulty, ...missing.map(({ path }) => path.split('.')[0] ?? '')]);
  for (const rule of resource.rules) {
    if (rule.fields.some((name) => unfit.has(name))) continue;
    found.push(...(yield* rule.check(object, rules)));
  }
  return found;
}

/**
 * The unique rules that the object would break. A rule whose clash must not be revealed is only reported, the first
 * such rule alone, where there is no other issue.
 */
function* clashesOf(
  context: WriteContext,
  { resource }: TypeModel,
  faulty: ReadonlySet<string>,
  found: readonly Issue[],
  around: RuleContext,
  wanted: Body,
): Work<readonly Clash[]> {
  const sound = resource.unique.filter(({ fields }) => !fields.some((name) => faulty.has(name)));
  const find = (rules: readonly Unique[]): Work<readonly Clash[]> =>
    findClashes(context, resource, rules, around, wanted);
  const clashes = [
    ...(yield* find(sound.filter(({ discreet }) => !discreet))),
    ...(yield* findRecordClashes(context, resource, faulty, around, wanted)),
  ];
  if (clashes.length > 0 || found.length > 0) return clashes;
  return (yield* find(sound.filter(({ discreet }) => discreet))).slice(0, 1);
}

/** The stored state with the change applied; absent and cleared fields have their defaults. */
function filled(
  { resource }: TypeModel,
  { values }: Checked,
  faulty: ReadonlySet<string>,
  change: WithBody,
  rules: RuleContext,
): Body {
  const { before } = rules;
  const object: Record<string, unknown> = { ...before };
  const open: Field[] = [];
  for (const field of resource.fields.values()) {
    const isGiven = !field.derived && field.name in values && !faulty.has(field.name);
    if (before !== null && !isGiven) continue;
    if (field.input || field.computed || field.figure) continue;
    const value = isGiven ? kept(field, values[field.name], change) : null;
    object[field.name] = isGiven && field.nullable ? value : (value ?? field.default);
    if (value === null && field.fill) open.push(field);
  }
  for (const { name, fill } of open) object[name] = fill?.(object, rules) ?? null;
  return Object.assign(derived(resource, object, rules), change.set);
}

/** The object with the fields that are computed after each change. */
export function derived({ fields }: Resource, after: Body, rules: RuleContext): Body {
  const object: Record<string, unknown> = { ...after };
  for (const { name, derive } of fields.values()) {
    if (derive) object[name] = derive(object, rules);
  }
  return object;
}

/** The object with the fields that are computed from what its rules have looked up. */
function settled({ settling }: TypeModel, after: Body, rules: RuleContext): Body {
  if (settling.length === 0) return after;
  const object: Record<string, unknown> = { ...after };
  for (const { name, settle } of settling) object[name] = settle(after, rules);
  return object;
}

/** The stored value of a field: for a secret, the value that replaces it. */
function kept(field: Field, value: unknown, { set }: WithBody): unknown {
  if (!isSecret(field) || value === null) return value;
  const hash = set?.[field.name];
  if (hash === undefined) throw new Error(`${field.name} would be stored as it came`);
  return hash;
}

function refuse(
  { resource }: TypeModel,
  issues: readonly Issue[],
  clashes: readonly Clash[],
): void {
  const all = [...issues, ...clashes.map((clash) => clash.issue)];
  const [clash] = clashes;
  if (clash?.issue.key === 'TAKEN' && issues.length === 0) {
    const id = clash.id === null ? {} : { id: clash.id };
    const args = { type: resource.type, path: clash.issue.path, ...id };
    throw new ApiError('ENTITY_EXISTS', args, all);
  }
  const [first] = all;
  if (!first) return;
  throw all.every(({ key }) => key === 'IN_USE')
    ? new ApiError('IN_USE', first.args, all)
    : malformed(all);
}
