/** Plans the merge of objects into one of their type: what refers to them refers to that one afterwards. */
import { ApiError, issue, malformed, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { bind, literal, sql, Sql } from '../database/sql';
import type { Work } from '../database/work';
import type { MergePlan } from '../declare/behavior';
import { COMMON, DEFAULT_MAX_ITEMS } from '../declare/common';
import type { Action, Field } from '../declare/completed';
import type { TypeModel } from '../read/model';
import { callerArgs } from '../rights/caller-args';
import { EXACT } from '../declare/views';
import type { ActionChange, Body, UpdateChange } from '../declare/objects';
import { withSortedEdges } from './edges';
import type { WriteContext } from './context';
import { load, loadOthers, lockAll, refuseMerged, type Stored } from './load';
import type { WritePlan, RippleStep, UpdateStep } from './plan';
import { prepare, withNotices, type Prepared } from './prepare';

type Merge = Extract<Action, { merges: object }>;

/** @throws ApiError the refusal, in the order of the contract's checks */
export function* planMerge(
  context: WriteContext,
  known: TypeModel,
  change: ActionChange,
  action: Merge,
): Work<WritePlan> {
  const { own, values } = partsOf(change.body, action);
  const { merges } = action;
  const named = idsIn(own, merges.from);
  yield* lockAll(context, known, [change.id.toLowerCase(), ...named]);
  const into = yield* load(context, known, change, change.action);
  const from = yield* loadOthers(context, known, named, change.action);
  const body = action.body.read(own);
  const listed = (body.values[merges.from] ?? []) as readonly string[];
  const issues = [
    ...body.issues,
    ...(body.issues.length === 0 ? faultsOf(listed, into, from, merges.from, known) : []),
    ...faultsOfValues(known, values, merges.fields, context.now),
  ];
  refuseMerged(known, into, () => issues);
  if (issues.length > 0) throw malformed(issues);

  const { caller, model } = context;
  const { names, database } = model;
  const given = new Set(Object.keys(values));
  const planned = yield* action.plan(
    into.before,
    from.map(({ before }) => before),
    {
      caller,
      dialect: database.dialect,
      names,
      given,
      values,
      seesExactly: exactSight(context),
    },
  );
  const isDry = body.values[merges.dryRun] === true;
  const { after: united, notices } = yield* prepareUnited(
    context,
    known,
    { ...change, body: values },
    planned,
    {
      into,
      from,
      isDry,
    },
  );
  const { id, version } = into;
  if (isDry) return { written: { id, version, preview: planned.preview }, steps: [] };
  const after = withSortedEdges(known.resource, { ...united, ...planned.edges });
  return {
    written: withNotices({ id, version: version + 1 }, notices),
    steps: stepsOf(known, change.action, { into, from, after, kept: merges.kept }),
  };
}

/** What of a merge is told in numbers is told of what the caller sees exactly. */
const exactSight =
  ({ caller, model, now }: WriteContext) =>
  (type: string, alias: string): Sql => {
    const { access } = model.type(type).for(caller);
    const view = access.view(alias);
    const readable = access.condition(access.extent('read'), alias);
    const seen = view ? sql`(${readable} and ${view} = ${literal(EXACT)})` : readable;
    return new Sql(seen.chunks, bind(seen, callerArgs(caller, now)).values);
  };

/** The body in two parts: the action's own fields, and values for the object. */
function partsOf(body: unknown, { body: { fields } }: Merge): { own: unknown; values: Body } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { own: body, values: {} };
  const names = new Set(fields.map(({ name }) => name));
  const [own, values]: [[string, unknown][], [string, unknown][]] = [[], []];
  for (const entry of Object.entries(body)) (names.has(entry[0]) ? own : values).push(entry);
  return { own: Object.fromEntries(own), values: Object.fromEntries(values) };
}

/** The IDs in a list that is not checked yet, as many as one call may name. */
function idsIn(own: unknown, name: string): readonly string[] {
  const list: unknown = typeof own === 'object' && own !== null ? (own as Body)[name] : null;
  if (!Array.isArray(list)) return [];
  const ids = list.slice(0, DEFAULT_MAX_ITEMS).filter((id): id is string => typeof id === 'string');
  return [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))];
}

function faultsOf(
  listed: readonly string[],
  into: Stored,
  from: readonly Stored[],
  path: string,
  { resource }: TypeModel,
): Issue[] {
  if (listed.length === 0) return [issue(path, 'TOO_SHORT', { min: 1 })];
  const known = new Set(from.map(({ id }) => id));
  return listed.flatMap((id, at) => {
    if (id === into.id) return [issue(`${path}.${at}`, 'CONFLICT', { with: 'id' })];
    return known.has(id) ? [] : [issue(`${path}.${at}`, 'NO_SUCH', { type: resource.type })];
  });
}

/** What is wrong with values for the object without a look at others. */
function faultsOfValues(
  { validator }: TypeModel,
  values: Body,
  fields: readonly string[],
  now: number,
): readonly Issue[] {
  const isKnown = (name: string): boolean => fields.includes(name);
  const unknown = Object.keys(values).filter((name) => !isKnown(name));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => isKnown(name)));
  return [
    ...unknown.map((name) => issue(name, 'UNKNOWN', {})),
    ...validator.check(others, 'update', now).issues,
  ];
}

interface Merged {
  readonly into: Stored;
  readonly from: readonly Stored[];
}

/** The object with what it gets of the others. A dry run lists conflicts in place of refusing them. */
function* prepareUnited(
  context: WriteContext,
  known: TypeModel,
  change: ActionChange,
  { united, issues, preview }: MergePlan,
  { into, from, isDry }: Merged & { readonly isDry: boolean },
): Work<Prepared> {
  const { id, before, facts } = into;
  const body = { ...change.body, ...united };
  const update: UpdateChange = { op: 'update', type: change.type, id, body };
  const listed = new Set(preview.conflicts.map(({ path }) => path));
  const isListed = ({ path, key }: Issue): boolean =>
    isDry && key === 'CONFLICT' && listed.has(path.split('.')[0] ?? '');
  const merged = from.map((one) => one.id);
  let prepared: Prepared = { after: before, notices: [] };
  let found = issues;
  try {
    prepared = yield* prepare(context, known, update, { id, before, facts, merged });
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'MALFORMED') throw error;
    found = [...error.invalid, ...issues];
  }
  if (!found.every(isListed)) throw malformed(found);
  return prepared;
}

function stepsOf(
  known: TypeModel,
  action: string,
  { into, from, after, kept }: Merged & { readonly after: Body; readonly kept: readonly string[] },
): WritePlan['steps'] {
  const { resource, referrers } = known;
  const update = { kind: 'update', action, type: known, movesEdges: true } as const;
  const emptied = from.map(({ id, rowId, version, before }): UpdateStep => ({
    ...update,
    ...{ id, rowId, version: version + 1, before },
    after: {
      ...before,
      ...emptyValues(resource.fields.values(), kept),
      ...(resource.mergedInto ? { [resource.mergedInto.name]: into.id } : {}),
    },
  }));
  const redirected = from.flatMap(({ id, rowId }) =>
    referrers.map((referrer): RippleStep => ({
      kind: 'ripple',
      referrer,
      to: { type: known, rowId, id },
      into,
    })),
  );
  return [
    // First, so that the keys of their names are free.
    ...emptied,
    {
      kind: 'move edges',
      type: known,
      into,
      from,
      before: [into, ...from].map((one) => one.before),
      after,
    },
    {
      ...update,
      id: into.id,
      rowId: into.rowId,
      version: into.version + 1,
      before: into.before,
      after,
    },
    ...redirected,
  ];
}

/** The fields that are emptied, without those that every object has. */
const emptyValues = (fields: Iterable<Field>, kept: readonly string[]): Body =>
  Object.fromEntries(
    [...fields]
      .filter(
        ({ name, input, computed, figure, inverse }) =>
          [input, computed, figure, inverse].every((one) => one === null) &&
          !(name in COMMON) &&
          !kept.includes(name),
      )
      .map((field) => [field.name, field.default]),
  );
