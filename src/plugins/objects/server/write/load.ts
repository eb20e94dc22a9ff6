/** Loads the objects of a change, with what the caller may do with them. */
import { service } from '../../../../core/caller';
import { ApiError, fail, malformed, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { bind, raw, sql } from '../database/sql';
import { ask, askOne, type Work } from '../database/work';
import type { TypeModel } from '../read/model';
import type { Facts } from '../read/facts';
import { joinObjects, type Selected } from '../read/select';
import { callerArgs } from '../rights/caller-args';
import { reaches } from '../declare/row';
import type { ActionChange, Body, DeleteChange, UpdateChange } from '../declare/objects';
import type { WriteContext } from './context';

/** A stored object with all of its fields. */
export interface Stored {
  readonly id: string;
  readonly rowId: Selected['rowId'];
  readonly version: number;
  readonly facts: Facts;
  readonly before: Body;
  readonly isMerged: boolean;
}

/** Loads the object of a change. @throws ApiError in the order of the contract's checks */
export function* load(
  context: WriteContext,
  known: TypeModel,
  { id: given, ifMatch }: UpdateChange | DeleteChange | ActionChange,
  action: string,
): Work<Stored> {
  const { access, lock } = known.for(context.caller);
  const allowed = access.extent(action);
  if (allowed.length === 0 && context.caller.role === 'anonymous')
    throw new ApiError(access.refusal(action));
  const id = given.toLowerCase();
  if (lock && isUuid(id)) yield* ask(bind(lock, { id }));
  const stored = yield* find(context, known, id, action);
  if (!stored) throw fail('ENTITY_NOT_FOUND', { type: known.resource.type, id: given });
  if (!reaches(allowed, stored.facts.relations)) throw new ApiError(access.refusal(action));
  if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(stored.version))
    throw fail('VERSION_MISMATCH', { version: stored.version });
  return stored;
}

/** Locks objects that one change concerns, in the order of their rows, as every other change of several does. */
export function* lockAll(
  { model: { database } }: WriteContext,
  { resource }: TypeModel,
  ids: readonly string[],
): Work<void> {
  const { dialect } = database;
  const listed = sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(ids)}`)}`;
  yield* ask(
    sql`select o.id from ${raw(resource.table)} o where o.document_id ${dialect.among(listed)}
      order by o.id${dialect.forUpdate('o')}`,
  );
}

/**
 * Loads further objects of an action, to which the caller needs the same right.
 *
 * @returns those that exist, that the caller may read, and that were not merged into others
 * @throws ApiError for one that the caller may read alone
 */
export function* loadOthers(
  context: WriteContext,
  known: TypeModel,
  ids: readonly string[],
  action: string,
): Work<readonly Stored[]> {
  const { access } = known.for(context.caller);
  const found: Stored[] = [];
  for (const id of ids) {
    const stored = yield* find(context, known, id);
    if (!stored) continue;
    if (!reaches(access.extent(action), stored.facts.relations))
      throw new ApiError(access.refusal(action));
    if (!stored.isMerged) found.push(stored);
  }
  return found;
}

/** Locks and loads objects, as far as they exist, whoever may do what with them. */
export function* loadAll(
  context: WriteContext,
  known: TypeModel,
  ids: readonly string[],
): Work<readonly Stored[]> {
  yield* lockAll(context, known, ids);
  const found: Stored[] = [];
  for (const id of ids) {
    const stored = yield* find({ ...context, caller: service }, known, id);
    if (stored) found.push(stored);
  }
  return found;
}

/** An object that the caller may read, or that the right to an action reveals. */
function* find(
  { caller, now }: Pick<WriteContext, 'caller' | 'now'>,
  known: TypeModel,
  id: string,
  action = 'read',
): Work<Stored | undefined> {
  if (!isUuid(id)) return undefined;
  const { access, load: compiled } = known.for(caller);
  const row = yield* askOne(bind(compiled.sql, { id, ...callerArgs(caller, now) }));
  const selected = row && compiled.read(row);
  if (!selected) return undefined;
  const { relations } = selected.facts;
  const reveals = known.resource.actions.get(action)?.reveals === true;
  const isKnown = reveals && reaches(access.extent(action), relations);
  if (!isKnown && !reaches(access.extent('read'), relations)) return undefined;
  const { parts, ...rest } = selected;
  return { id, ...rest, before: JSON.parse(joinObjects(parts)) as Body };
}

/**
 * An object that was merged into another one takes no change.
 *
 * @param issues of the body: they are told first
 * @throws ApiError MALFORMED, MERGED
 */
export function refuseMerged(
  { resource: { mergedInto } }: TypeModel,
  { isMerged, before }: Stored,
  issues: () => readonly Issue[] = () => [],
): void {
  if (!isMerged || !mergedInto) return;
  const found = issues();
  if (found.length > 0) throw malformed(found);
  throw fail('MERGED', { into: String(before[mergedInto.name]) });
}
