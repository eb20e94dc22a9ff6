/**
 * The one writer: whatever changes an object of ours passes here, whether the API, an import or the
 * panel asks. Checks, references, derived columns, version and history, in one transaction.
 */
import { judge, type Action } from '../../../accounts/server/permissions';
import type { Caller } from '../../../accounts/server/caller';
import { fail, malformed, WireError } from '../../../wire/server/errors';
import { ask, askOne, type Row, type SqlValue, type Work } from '../database/work';
import { differences, record, type FieldChange, type HistoryAction } from '../history/record';
import type { TypeModel } from '../model';
import { joinObjects, LEADING_COLUMNS } from '../read/select';
import type { Body, Change, CreateChange, DeleteChange, UpdateChange, Written } from '../types';
import type { Checked } from '../validate/validator';
import { isUuid } from '../../../wire/server/uuid';
import type { WriteContext } from './context';
import { prepare } from './prepare';
import { releaseReferrers } from './release';
import { insertValues, updateValues } from './statements';

/** An object as it is stored, whole. */
interface Stored {
  readonly rowId: SqlValue;
  readonly version: number;
  readonly owner: string | null;
  readonly object: Body;
}

/** A change that has passed its checks, to be carried out. */
export type Plan = () => Work<Written>;

/** Carries out one change. @throws WireError the refusal; nothing may be kept then */
export function* carryOut(context: WriteContext, change: Change): Work<Written> {
  const plan = yield* planOf(context, change);
  return yield* plan();
}

/**
 * Checks a change, and only reads. Its plan is good for the state of the database that it was made in.
 *
 * @throws WireError the refusal
 */
export function* planOf(context: WriteContext, change: Change): Work<Plan> {
  const known = context.model.type(change.type);
  const plan = yield* plans(context, known, change);
  return function* (): Work<Written> {
    const written = yield* plan();
    if (known.referrers.length > 0) context.asked.forget();
    return written;
  };
}

function plans(context: WriteContext, known: TypeModel, change: Change): Work<Plan> {
  if (change.op === 'create') return create(context, known, change);
  if (change.op === 'update') return update(context, known, change);
  return remove(context, known, change);
}

function* create(context: WriteContext, known: TypeModel, change: CreateChange): Work<Plan> {
  grant(known, 'create', context.caller);
  const checked = check(context, known, change);
  const given = checked.values['id'];
  const id = typeof given === 'string' && isUuid(given) ? given : context.newId();
  const object = yield* prepare(context, known, null, checked, id);

  return function* (): Work<Written> {
    const { dialect } = context.model.database;
    yield* ask(known.writes.insert, insertValues(known.writes, id, object, context.now, dialect));
    const written = { id, version: 1 };
    yield* remember(context, known, 'create', written, changesOf(known, null, object));
    return written;
  };
}

function* update(context: WriteContext, known: TypeModel, change: UpdateChange): Work<Plan> {
  const before = yield* load(context, known, change);
  const checked = check(context, known, change);
  const written = { id: change.id.toLowerCase(), version: before.version };
  const object = yield* prepare(context, known, before.object, checked, written.id);

  return function* (): Work<Written> {
    const changes = changesOf(known, before.object, object);
    if (changes.length === 0) return written;
    const { dialect } = context.model.database;
    const values = updateValues(known.writes, before.rowId, object, context.now, dialect);
    yield* ask(known.writes.update, values);
    written.version += 1;
    yield* remember(context, known, 'update', written, changes);
    return written;
  };
}

function* remove(context: WriteContext, known: TypeModel, change: DeleteChange): Work<Plan> {
  const before = yield* load(context, known, change);
  if (change.invalid && change.invalid.length > 0) throw malformed(change.invalid);
  const written = { id: change.id.toLowerCase(), version: before.version };
  return function* (): Work<Written> {
    yield* releaseReferrers(context, known, before.rowId, written.id);
    yield* ask(known.writes.remove, [before.rowId]);
    yield* remember(context, known, 'delete', written, changesOf(known, before.object, null));
    return written;
  };
}

/** The object that a change is about. @throws WireError in the order of the contract's checks */
function* load(
  { caller }: WriteContext,
  known: TypeModel,
  { op: action, id, ifMatch }: UpdateChange | DeleteChange,
): Work<Stored> {
  const { resource, select } = known;
  grant(known, action, caller, undefined, 'login');
  const row = isUuid(id) ? yield* askOne(select.locked, [id.toLowerCase()]) : undefined;
  const owner = (row?.[2] ?? null) as string | null;
  if (!row || judge(resource.permissions, 'read', caller, owner) !== 'granted') {
    throw fail('ENTITY_NOT_FOUND', { type: resource.type, id });
  }
  grant(known, action, caller, owner);
  const version = Number(row[1]);
  if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(version)) {
    throw fail('VERSION_MISMATCH', { version });
  }
  return { rowId: row[0] ?? null, version, owner, object: wholeObject(row) };
}

const wholeObject = (row: Row): Body =>
  JSON.parse(joinObjects(row.slice(LEADING_COLUMNS).map(String))) as Body;

/** @param only refuse for this reason alone: the others are told after the object has been found */
function grant(
  { resource }: TypeModel,
  action: Action,
  caller: Caller,
  owner?: string | null,
  only?: 'login',
): void {
  const verdict = judge(resource.permissions, action, caller, owner);
  if (verdict === 'login') throw fail('LOGIN_REQUIRED', {});
  if (verdict === 'refused' && only === undefined) throw fail('NOT_PERMITTED', {});
}

/** The body against the declaration. @throws WireError for fields that this caller may not write */
function check(
  { caller, now }: WriteContext,
  { validator }: TypeModel,
  { op, body, invalid = [] }: CreateChange | UpdateChange,
): Checked {
  const checked = validator.check(body, op, caller, now);
  if (checked.forbidden.length > 0)
    throw new WireError('FIELD_NOT_PERMITTED', {}, checked.forbidden);
  return { ...checked, issues: [...invalid, ...checked.issues] };
}

function* remember(
  { caller, now, newId }: WriteContext,
  { resource }: TypeModel,
  action: HistoryAction,
  { id: object, version }: Written,
  changes: readonly FieldChange[],
): Work<void> {
  const entry = { id: newId(), type: resource.type, object, version, at: now, action, changes };
  yield* record(entry, caller);
}

/** What a change comes to, but for what moves with every change and is told by the entry itself. */
const changesOf = (
  { resource }: TypeModel,
  before: Body | null,
  after: Body | null,
): FieldChange[] =>
  differences(
    before,
    after,
    [...resource.fields.values()].filter(({ name }) => !OF_EVERY_CHANGE.has(name)),
  );

const OF_EVERY_CHANGE = new Set(['id', 'version', 'created_at', 'updated_at']);
