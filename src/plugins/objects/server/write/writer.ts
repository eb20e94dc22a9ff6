/**
 * The one writer: whatever changes an object of ours passes here, whether the API, an import or the
 * panel asks. Checks, references, derived columns, version and history, in one transaction.
 */
import { judge, type Action, type Subject } from '../../../accounts/server/permissions';
import { fail, malformed, WireError } from '../../../wire/server/errors';
import { ask, askOne, type Row, type SqlValue, type Work } from '../database/work';
import {
  differences,
  forget,
  record,
  type FieldChange,
  type HistoryAction,
} from '../history/record';
import type { ChangeMade } from '../define/declaration';
import type { TypeModel } from '../model';
import { subjectOf } from '../read/reader';
import { joinObjects, LEADING_COLUMNS } from '../read/select';
import type { Body, Change, CreateChange, DeleteChange, UpdateChange, Written } from '../types';
import type { Checked } from '../validate/validator';
import { isUuid } from '../../../wire/server/uuid';
import type { WriteContext } from './context';
import { writeLinks } from './links';
import { prepare } from './prepare';
import { releaseReferrers } from './release';
import { insertValues, updateValues } from './statements';

/** An object as it is stored, whole. */
interface Stored {
  readonly rowId: SqlValue;
  readonly version: number;
  readonly object: Body;
}

/** A change that has passed its checks, to be carried out. */
export type Plan = () => Work<Written>;

/** Carries out one change. @throws WireError the refusal; nothing may be kept then */
export function* carryOut(context: WriteContext, change: Change): Work<Written> {
  if (change.first) yield* change.first();
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
    // What is new has been asked for by nobody.
    if (change.op !== 'create' && known.referrers.length > 0) context.asked.forget();
    return written;
  };
}

function plans(context: WriteContext, known: TypeModel, change: Change): Work<Plan> {
  if (change.op === 'create') return create(context, known, change);
  if (change.op === 'update') return update(context, known, change);
  return remove(context, known, change);
}

function* create(context: WriteContext, known: TypeModel, change: CreateChange): Work<Plan> {
  grant(context, known, 'create');
  const checked = check(context, known, null, change);
  const given = checked.values['id'];
  const id = typeof given === 'string' && isUuid(given) ? given : context.newId();
  const object = yield* prepare(context, known, null, checked, id);

  return function* (): Work<Written> {
    const { dialect } = context.model.database;
    const values = insertValues(known.writes, id, object, context.now, dialect);
    const inserted = yield* askOne(known.writes.insert, values);
    const rowId = inserted?.[0] ?? null;
    yield* writeLinks(context.model, known, rowId, null, object);
    const written = { id, version: 1 };
    yield* remember(context, known, 'create', written, changesOf(known, null, object));
    yield* follow(context, known, { op: 'create', id, rowId, before: null, after: object });
    return written;
  };
}

function* update(context: WriteContext, known: TypeModel, change: UpdateChange): Work<Plan> {
  const before = yield* load(context, known, change);
  const checked = check(context, known, before.object, change);
  const written = { id: change.id.toLowerCase(), version: before.version };
  const prepared = yield* prepare(context, known, before.object, checked, written.id);
  const object = { ...prepared, ...change.set?.(prepared) };

  return function* (): Work<Written> {
    const changes = changesOf(known, before.object, object);
    if (changes.length === 0) return written;
    const { id } = written;
    const { rowId } = before;
    const { dialect } = context.model.database;
    yield* ask(
      known.writes.update,
      updateValues(known.writes, rowId, object, context.now, dialect),
    );
    yield* writeLinks(context.model, known, rowId, before.object, object);
    written.version += 1;
    yield* remember(context, known, 'update', written, changes);
    const states = { before: before.object, after: object };
    yield* follow(context, known, { op: 'update', id, rowId, ...states });
    return written;
  };
}

function* remove(context: WriteContext, known: TypeModel, change: DeleteChange): Work<Plan> {
  const before = yield* load(context, known, change);
  if (change.invalid && change.invalid.length > 0) throw malformed(change.invalid);
  const written = { id: change.id.toLowerCase(), version: before.version };
  return function* (): Work<Written> {
    const { id } = written;
    const { rowId } = before;
    yield* releaseReferrers(context, known, rowId, id);
    yield* ask(known.writes.remove, [rowId]);
    if (known.resource.forgotten) yield* forget(id);
    else yield* remember(context, known, 'delete', written, changesOf(known, before.object, null));
    const states = { before: before.object, after: null };
    yield* follow(context, known, { op: 'delete', id, rowId, ...states });
    return written;
  };
}

function* follow(context: WriteContext, { resource }: TypeModel, made: ChangeMade): Work<void> {
  if (resource.follow) yield* resource.follow(made, context);
}

/** The object that a change is about. @throws WireError in the order of the contract's checks */
function* load(
  context: WriteContext,
  known: TypeModel,
  { op: action, id, ifMatch }: UpdateChange | DeleteChange,
): Work<Stored> {
  const { resource } = known;
  const { caller, model } = context;
  grant(context, known, action, undefined, 'login');
  const row = isUuid(id) ? yield* askOne(known.load, [id.toLowerCase()]) : undefined;
  const subject = subjectOf(row);
  if (!row || judge(resource.permissions, 'read', caller, model.site(), subject) !== 'granted') {
    throw fail('ENTITY_NOT_FOUND', { type: resource.type, id });
  }
  grant(context, known, action, subject);
  const version = Number(row[1]);
  if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(version)) {
    throw fail('VERSION_MISMATCH', { version });
  }
  return { rowId: row[0] ?? null, version, object: wholeObject(row) };
}

const wholeObject = (row: Row): Body =>
  JSON.parse(joinObjects(row.slice(LEADING_COLUMNS).map(String))) as Body;

/** @param only refuse for this reason alone: the others are told after the object has been found */
function grant(
  { caller, model }: WriteContext,
  { resource }: TypeModel,
  action: Action,
  subject?: Subject,
  only?: 'login',
): void {
  const verdict = judge(resource.permissions, action, caller, model.site(), subject);
  if (verdict === 'login') throw fail('LOGIN_REQUIRED', {});
  if (verdict === 'refused' && only === undefined) throw fail('NOT_PERMITTED', {});
}

/** The body against the declaration. @throws WireError for fields that this caller may not write */
function check(
  { caller, now, beforehand }: WriteContext,
  { validator }: TypeModel,
  before: Body | null,
  { body, invalid = [] }: CreateChange | UpdateChange,
): Checked {
  const checked = validator.check(body, before, caller, now);
  const forbidden = [...checked.forbidden, ...(beforehand.forbidden ?? [])];
  if (forbidden.length > 0) throw new WireError('FIELD_NOT_PERMITTED', {}, forbidden);
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
    [...resource.fields.values()].filter(({ name, input }) => !OF_EVERY_CHANGE.has(name) && !input),
  );

const OF_EVERY_CHANGE = new Set(['id', 'version', 'created_at', 'updated_at']);
