/** Carries out the steps of a plan: the only code that changes a row of an object. */
import type { SqlValue } from '../database/sql';
import { ask, askOne, sideBySide, tell, type Work } from '../database/work';
import type { ChangeMade } from '../declare/behavior';
import { keepFromReuse } from './deleted-ids';
import { deletion, erase, fieldChanges } from './history-entries';
import type { TypeModel } from '../read/model';
import type { Written } from '../declare/objects';
import type { Insert, WriteContext } from './context';
import { assignGiven } from './assign';
import { moveEdges, writeEdges } from './edges';
import { referredRows } from './inserts';
import { updateKept } from './kept';
import { writeLinks } from './links';
import { keepClaim, retireClaimsOf } from './claims';
import type {
  DeleteStep,
  BeforeDeleteStep,
  InsertStep,
  WritePlan,
  WriteStep,
  UpdateStep,
} from './plan';
import { deleteWith } from './delete-with';
import { dropRecordKeys, writeRecordKeys } from './record-keys';
import { recordChange } from './recording';
import { ripple } from './ripple';

/** Carries out a plan. A plan is only valid for the state of the database in which it was made. */
export function* execute(context: WriteContext, { written, steps }: WritePlan): Work<Written> {
  for (const step of steps) yield* executeStep(context, step);
  return written;
}

function executeStep(context: WriteContext, step: WriteStep): Work<void> {
  switch (step.kind) {
    case 'insert':
      return insert(context, step);
    case 'update':
      return update(context, step);
    case 'delete':
      return remove(context, step);
    case 'ripple':
      return ripple(context, step);
    case 'delete with':
      return deleteWith(context, step);
    case 'move edges':
      return moveEdges(context, step);
    case 'before-delete':
      return runBeforeDelete(context, step);
  }
}

function* insert(context: WriteContext, step: InsertStep): Work<void> {
  if (!context.inserts?.take(context, step)) yield* insertOne({ context, step });
}

function* insertOne({ context, step }: Insert): Work<void> {
  const { type, id, after } = step;
  const { model, now } = context;
  const inserted = yield* askOne(type.writes.insert(id, after, now, model.database.dialect));
  yield* finishInsert(context, step, inserted?.[1] ?? null);
}

/**
 * Writes the rows of new objects of one type, with all that follows. None of them refers to another one.
 *
 * @param given the IDs of the rows, if they are known
 */
export function* insertAll(inserts: readonly Insert[], given: readonly SqlValue[]): Work<void> {
  const [first] = inserts;
  if (!first) return;
  if (inserts.length === 1 && given.length === 0) return yield* insertOne(first);
  const { context, step } = first;
  const { model, now } = context;
  const rowOf = yield* referredRows(
    context,
    step.type,
    inserts.map(({ step: { after } }) => after),
  );
  const objects = inserts.map(({ step: { id, after } }) => [id, after] as const);
  const rowIds = new Map<SqlValue, SqlValue>();
  const { dialect } = model.database;
  for (const [at, rowId] of given.entries()) rowIds.set(inserts[at]?.step.id ?? null, rowId);
  for (const statement of step.type.writes.insertAll(objects, now, dialect, rowOf, given)) {
    if (given.length > 0) yield* tell(statement);
    else for (const [id = null, rowId = null] of yield* ask(statement)) rowIds.set(id, rowId);
  }
  yield* sideBySide(
    inserts.map((one) => finishInsert(one.context, one.step, rowIds.get(one.step.id) ?? null)),
    () => false,
  );
}

function* finishInsert(
  context: WriteContext,
  { type, id, after, claim }: InsertStep,
  rowId: SqlValue,
): Work<void> {
  const { model } = context;
  yield* writeLinks(model, type, rowId, null, after);
  yield* writeRecordKeys(model, type.resource, rowId, null, after);
  yield* writeEdges(context, type, rowId, null, after);
  yield* recordChange(context, type, 'create', { id, version: 1 }, null, after);
  if (claim) yield* keepClaim({ type: type.resource.type, id, after }, claim, context.now);
  yield* assignGiven(context, type, { id, rowId }, after);
  yield* follow(context, type, { op: 'create', id, rowId, before: null, after });
}

function* update(context: WriteContext, step: UpdateStep): Work<void> {
  const { type, id, rowId, version, action, before, after } = step;
  const { model, now } = context;
  if (!step.isQuiet)
    yield* tell(type.writes.update(rowId, { before, after }, now, model.database.dialect));
  yield* writeLinks(model, type, rowId, before, after);
  yield* writeRecordKeys(model, type.resource, rowId, before, after);
  if (!step.movesEdges) yield* writeEdges(context, type, rowId, before, after);
  yield* recordChange(context, type, action, { id, version }, before, after);
  yield* follow(context, type, { op: 'update', id, rowId, before, after });
}

function* remove(context: WriteContext, step: DeleteStep): Work<void> {
  const { type, id, rowId, version, before } = step;
  yield* writeEdges(context, type, rowId, before, null);
  const { type: path, forgotten, fields } = type.resource;
  const removal = type.writes.remove(rowId);
  const made = forgotten ? [deletion(path, id, fieldChanges(before, null, fields.values()))] : [];
  yield* tell({ ...removal, made });
  yield* dropRecordKeys(type.resource, rowId);
  yield* retireClaimsOf([id], { now: context.now, dialect: context.model.database.dialect });
  if (forgotten) {
    yield* keepFromReuse(id);
    yield* erase(path, id, context.model.database.dialect);
  } else yield* recordChange(context, type, 'delete', { id, version }, before, null);
  yield* follow(context, type, { op: 'delete', id, rowId, before, after: null });
}

function* runBeforeDelete(
  { caller, site, now, newId, model }: WriteContext,
  { type, id, rowId }: BeforeDeleteStep,
): Work<void> {
  const { dialect } = model.database;
  for (const leave of type.resource.beforeDelete)
    yield* leave({ id, rowId }, { caller, site, now, newId, dialect });
}

function* follow(context: WriteContext, known: TypeModel, made: ChangeMade): Work<void> {
  const { caller, site, now, model } = context;
  const { dialect } = model.database;
  for (const consequence of known.resource.consequences)
    yield* consequence(made, { caller, site, now, dialect });
  if (known.kept.length > 0) yield* updateKept(context, known, [made]);
}
