/**
 * The writer: every change of an object goes through it, from the API, an import or the panel. A change is checked and
 * turned into a plan, and the plan is carried out, in one transaction.
 */
import { givenClaim } from '../../../../core/claim';
import { ApiError, fail } from '../../../../core/errors';
import type { Notice } from '../../../../core/notices';
import { isUuid } from '../../../../core/formats';
import { raw, sql } from '../database/sql';
import { askOne, type Work } from '../database/work';
import type { OtherChange } from '../declare/behavior';
import type { Referrer } from '../declare/completed';
import { fieldChanges } from './history-entries';
import type { TypeModel } from '../read/model';
import { NO_FACTS } from '../read/facts';
import type { Selected } from '../read/select';
import type {
  ActionChange,
  Body,
  Change,
  CreateChange,
  DeleteChange,
  UpdateChange,
  Written,
} from '../declare/objects';
import { refuseSentAgain } from './claims';
import type { WriteContext } from './context';
import { execute } from './execute';
import type { DeleteWithStep, BeforeDeleteStep, WritePlan, RippleStep, UpdateStep } from './plan';
import { load, loadAll, refuseMerged } from './load';
import { planMerge } from './merge';
import { derived, prepare, withNotices } from './prepare';

/** Carries out one change. @throws ApiError the refusal; the caller has to roll back */
export function* carryOut(context: WriteContext, change: Change): Work<Written> {
  const plan = yield* planOf(context, change);
  return yield* carryOutPlan(context, change, plan);
}

/** Carries out the plan of a change. */
export function* carryOutPlan(
  context: WriteContext,
  change: Change,
  plan: WritePlan,
): Work<Written> {
  const written = yield* execute(context, plan);
  // A new object cannot be in the reference cache.
  const isReferredTo = context.model.type(change.type).referrers.length > 0;
  if (change.op !== 'create' && isReferredTo) context.references.clear();
  return written;
}

/**
 * Checks a change. It only reads.
 *
 * @throws ApiError the refusal
 */
export function planOf(context: WriteContext, change: Change): Work<WritePlan> {
  const known = context.model.type(change.type);
  switch (change.op) {
    case 'create':
      return planCreate(context, known, change);
    case 'update':
      return planUpdate(context, known, change);
    case 'delete':
      return planDelete(context, known, change);
    case 'act':
      return planAct(context, known, change);
  }
}

function* planCreate(
  context: WriteContext,
  known: TypeModel,
  change: CreateChange,
): Work<WritePlan> {
  const { access } = known.for(context.caller);
  if (access.extent('create') !== 'all') throw new ApiError(access.refusal('create'));
  const claim = givenClaim(change.body);
  // Before anything else: what it refers to may have ended since it was carried out.
  if (claim !== null) yield* refuseSentAgain(claim, context.now);
  const id = givenId(change.body) ?? context.newId();
  const subject = { id, before: null, facts: NO_FACTS };
  const { after, notices } = yield* prepare(context, known, change, subject);
  return {
    written: withNotices({ id, version: 1 }, notices),
    steps: [{ kind: 'insert', type: known, id, after, claim: change.claim ?? null }],
  };
}

/** The ID in a body. An invalid one is refused together with the fields. */
export function givenId(body: Body): string | null {
  const given: unknown = typeof body === 'object' && body !== null ? body['id'] : undefined;
  return typeof given === 'string' && isUuid(given) ? given.toLowerCase() : null;
}

function* planUpdate(
  context: WriteContext,
  known: TypeModel,
  change: UpdateChange,
): Work<WritePlan> {
  const stored = yield* load(context, known, change, 'update');
  const { id, rowId, version, facts, before } = stored;
  refuseMerged(
    known,
    stored,
    () => known.validator.check(change.body, 'update', context.now).issues,
  );
  const { after, notices } = yield* prepare(context, known, change, { id, before, facts });
  const changes = fieldChanges(before, after, known.resource.fields.values());
  if (changes.length === 0) return { written: withNotices({ id, version }, notices), steps: [] };
  const written = { id, version: version + 1 };
  return {
    written: withNotices(written, notices),
    steps: [{ kind: 'update', action: 'update', type: known, ...written, rowId, before, after }],
  };
}

function* planAct(context: WriteContext, known: TypeModel, change: ActionChange): Work<WritePlan> {
  const action = known.resource.actions.get(change.action);
  if (!action) throw new RangeError(`no action "${change.action}" of ${known.resource.type}`);
  if (action.merges) return yield* planMerge(context, known, change, action);
  const stored = yield* load(context, known, change, change.action);
  const { id, rowId, version, before } = stored;
  refuseMerged(known, stored, () => action.body.read(change.body).issues);
  const { caller, site, now, model, references } = context;
  const { dialect } = model.database;
  const body = action.body.check(change.body);
  const notices: Notice[] = [];
  const acting = { caller, site, now, dialect, notices };
  const changed = yield* action.plan(before, body, acting);
  const around = { caller, site, dialect, names: model.names, now, references };
  const findings = change.findings ?? {};
  const rules = { ...around, before, findings, given: body, merged: [], notices };
  const after = derived(known.resource, { ...before, ...changed }, rules);
  const changes = fieldChanges(before, after, known.resource.fields.values());
  if (changes.length === 0) return { written: withNotices({ id, version }, notices), steps: [] };
  const isQuiet = changes.every(({ path }) => known.resource.fields.get(path)?.listed?.isQuiet);
  const written = { id, version: isQuiet ? version : version + 1 };
  const others = action.others ? yield* action.others(before, after, acting) : [];
  return {
    written: withNotices(written, notices),
    steps: [
      ...(yield* changesOf(context, change.action, others)),
      {
        ...{ kind: 'update', action: change.action, type: known, ...written, rowId, before, after },
        isQuiet,
      },
    ],
  };
}

/** The changes of other objects that an action makes, each with its version and history. */
function* changesOf(
  context: WriteContext,
  action: string,
  others: readonly OtherChange[],
): Work<UpdateStep[]> {
  const steps: UpdateStep[] = [];
  for (const { type: path, ids, changed } of others) {
    const type = context.model.type(path);
    for (const { id, rowId, version, before } of yield* loadAll(context, type, ids))
      steps.push({
        kind: 'update',
        action,
        type,
        ...{ id, rowId, version: version + 1, before },
        after: { ...before, ...changed },
      });
  }
  return steps;
}

function* planDelete(
  context: WriteContext,
  known: TypeModel,
  change: DeleteChange,
): Work<WritePlan> {
  const stored = yield* load(context, known, change, 'delete');
  const { id, rowId, version, before } = stored;
  refuseMerged(known, stored);
  const to = { type: known, rowId, id };
  const deletions: DeleteWithStep[] = [];
  const ripples: RippleStep[] = [];
  for (const referrer of known.referrers) {
    const { onDelete } = referrer.field;
    if (onDelete === 'restrict') yield* refuseInUse(referrer, rowId);
    else if (onDelete === 'delete') deletions.push({ kind: 'delete with', referrer, to });
    else ripples.push({ kind: 'ripple', referrer, to, into: null });
  }
  const beforeDelete: BeforeDeleteStep[] =
    known.resource.beforeDelete.length > 0 ? [{ kind: 'before-delete', ...to }] : [];
  return {
    written: { id, version },
    steps: [
      ...beforeDelete,
      ...deletions,
      ...ripples,
      { kind: 'delete', type: known, id, rowId, version, before },
    ],
  };
}

function* refuseInUse({ resource, field }: Referrer, rowId: Selected['rowId']): Work<void> {
  const column = raw(field.columns[0] ?? '');
  const row = yield* askOne(
    sql`select cast(count(*) as integer) from ${raw(resource.table)} where ${column} = ${rowId}`,
  );
  const count = Number(row?.[0] ?? 0);
  if (count > 0) throw fail('IN_USE', { type: resource.type, count });
}
