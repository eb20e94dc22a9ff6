/** The history: a row for each change, written in the transaction of the change. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../../core/caller';
import type { Dialect, JsonColumn } from '../database/database';
import {
  join,
  raw,
  sql,
  statementOf,
  type MadeChange,
  type Sql,
  type SqlValue,
} from '../database/sql';
import { ask, tell, type Row, type Work } from '../database/work';
import type { Field } from '../declare/completed';
import { emptyOf } from '../kinds';
import type { Body } from '../declare/objects';
import { isSecret } from '../kinds/traits';

/**
 * `create`, `update`, `delete`, or one of a type's own actions. `exceed` is recorded for a limit, not for an object: a
 * caller reached it.
 */
export type HistoryAction = string;

export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The entry of one change of one object. */
export interface HistoryEntry {
  /** The ID of the entry. */
  readonly id: string;
  readonly object: string;
  readonly version: number;
  readonly changes: readonly FieldChange[];
}

/** An entry with the IDs in its values that an erasure has to find. */
export interface MentioningEntry extends HistoryEntry {
  readonly mentions: readonly string[];
}

/** What a transaction's entries of one type, action and caller have in common. */
export interface HistoryHead {
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: HistoryAction;
  readonly caller: Pick<Caller, 'id' | 'actor'>;
}

/** The stored form of a change: an array, because property names would be a third of the whole database. */
type StoredChange = readonly [path: string, before: unknown, after: unknown];

const stored = (changes: readonly FieldChange[]): string =>
  JSON.stringify(changes.map(({ path, before, after }): StoredChange => [path, before, after]));

/** Parses the stored changes of an entry. */
export const parseChanges = (text: string): FieldChange[] =>
  (JSON.parse(text) as StoredChange[]).map(([path, before, after]) => ({ path, before, after }));

const COLUMNS: readonly JsonColumn[] = [
  { name: 'id', type: 'text' },
  { name: 'type', type: 'text' },
  { name: 'object', type: 'text' },
  { name: 'version', type: 'integer' },
  { name: 'at', type: 'bigint' },
  { name: 'action', type: 'text' },
  { name: 'actor_kind', type: 'text' },
  { name: 'actor_id', type: 'text' },
  { name: 'actor_name', type: 'text' },
  { name: 'changes', type: 'text' },
];

const names = (before: string): Sql => raw(COLUMNS.map(({ name }) => before + name).join(', '));

const INTO = `oms_history (${names('').sqlite})`;

/** The values of these columns, with the caller as actor. */
function rowOf({ type, at, action, caller }: HistoryHead, entry: HistoryEntry): SqlValue[] {
  const { id, object, version, changes } = entry;
  const { kind, name } = caller.actor;
  return [...[id, type, object, version, at, action], ...[kind, caller.id, name, stored(changes)]];
}

/** Writes one entry. */
export function* record(head: HistoryHead, entry: HistoryEntry): Work<void> {
  const values = rowOf(head, entry).map((value) => sql`${value}`);
  yield* tell(sql`insert into ${raw(INTO)} values (${join(values)})`);
}

/** An entry with its head. */
export type Recorded = readonly [head: HistoryHead, entry: MentioningEntry];

/** What those who listen are told of an entry. */
function madeBy([{ type, action }, { object: id, changes }]: Recorded): MadeChange {
  if (action !== 'delete')
    return { type, id, op: action === 'create' ? 'create' : 'update', before: null };
  return deletion(type, id, changes);
}

/** What those who listen are told of a deletion, of which there is no entry if the object is to be forgotten. */
export function deletion(type: string, id: string, changes: readonly FieldChange[]): MadeChange {
  const before = Object.fromEntries(changes.map(({ path, before: value }) => [path, value]));
  return { type, id, op: 'delete', before };
}

/** Writes many entries together, in their order, and their mentions with another statement. */
export function* recordAll(recorded: readonly Recorded[], dialect: Dialect): Work<void> {
  if (recorded.length === 0) return;
  const made = recorded.map(madeBy);
  const rows = recorded.map(([head, entry]) => rowOf(head, entry));
  if (recorded.every(([, { mentions }]) => mentions.length === 0)) {
    const inserts = [...dialect.insertRows(INTO, rows)];
    for (const [at, insert] of inserts.entries())
      yield* tell(at === 0 ? { ...statementOf(insert), made } : insert);
    return;
  }
  const table = dialect.jsonRows(sql`${JSON.stringify(rows)}`, COLUMNS);
  const insert = sql`insert into ${raw(INTO)} select ${names('r.')} from ${table} returning id, seq`;
  const inserted = yield* ask({ ...statementOf(insert), made });
  const mentions = new Map(recorded.map(([, entry]) => [entry.id, entry.mentions]));
  const mentioned = inserted.flatMap(([id, seq]) =>
    (mentions.get(String(id)) ?? []).map((object) => [object, Number(seq)] as const),
  );
  if (mentioned.length > 0) yield* index(mentioned, dialect);
}

/** Indexes the entries by the objects that their values mention. */
function* index(
  mentioned: readonly (readonly [object: string, seq: number])[],
  dialect: Dialect,
): Work<void> {
  const table = dialect.jsonRows(sql`${JSON.stringify(mentioned)}`, [
    { name: 'object', type: 'text' },
    { name: 'seq', type: 'bigint' },
  ]);
  yield* ask(
    sql`insert into oms_history_mentions (object, seq) select distinct r.object, r.seq from ${table}`,
  );
}

/** Fields that every change sets, and that the entry itself contains. */
const OF_EVERY_CHANGE = new Set(['id', 'version', 'created_at', 'updated_at']);

/** The differences between two states of an object; null, for an absent object, has empty fields. */
export function fieldChanges(
  before: Body | null,
  after: Body | null,
  fields: Iterable<Field>,
): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const { name: path } = field;
    if (OF_EVERY_CHANGE.has(path) || !isRecorded(field)) continue;
    const empty = emptyOf(field);
    const whole = { path, before: before?.[path] ?? empty, after: after?.[path] ?? empty };
    // Most values are identical, which avoids the expensive comparison in a bulk of writes.
    if (whole.before === whole.after) continue;
    const change = field.listed ? differenceOf(whole) : whole;
    if (isDeepStrictEqual(change.before, change.after)) continue;
    // Of a secret, only the fact that it changed is recorded.
    changes.push(isSecret(field) ? { path, before: null, after: null } : change);
  }
  return changes;
}

/** Whether changes of a field are in the history: what is derived from other objects is not. */
const isRecorded = ({ input, computed, figure, inverse }: Field): boolean =>
  input === null && computed === null && figure === null && inverse === null;

/** Who was removed from a list and who was added: a list that grows with each change would be recorded again and again. */
function differenceOf({ path, before, after }: FieldChange): FieldChange {
  const [old, fresh] = [before as readonly string[], after as readonly string[]];
  const [wasThere, isThere] = [new Set(old), new Set(fresh)];
  return {
    path,
    before: old.filter((id) => !isThere.has(id)),
    after: fresh.filter((id) => !wasThere.has(id)),
  };
}

/** The IDs in the values of these fields, except the actor's, which has its own index. */
export const mentionsIn = (
  changes: readonly FieldChange[],
  mentioning: ReadonlySet<string>,
  { id: actor }: HistoryHead['caller'],
): string[] =>
  changes
    .filter(({ path }) => mentioning.has(path))
    .flatMap(({ before, after }) => [before, after].flat())
    .filter((value) => typeof value === 'string' && value !== actor) as string[];

/** Deletes the history of objects that no other object's history mentions. */
export function* eraseAll(type: string, ids: readonly string[], dialect: Dialect): Work<void> {
  const objects = dialect.among(
    sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(ids)}`)}`,
  );
  yield* ask(sql`delete from oms_history where object ${objects} and type = ${type}`);
}

/** The number of entries that are redacted before other events are handled. */
const CHUNK = 1000;

/**
 * Deletes the history of a person, and redacts the person in the history of other objects.
 *
 * @param type of the person: an object of another type may have the same ID
 */
export function* erase(type: string, id: string, dialect: Dialect): Work<void> {
  yield* ask(sql`delete from oms_history where object = ${id} and type = ${type}`);
  // An ID that is a value is in quotation marks; in a longer text these would be escaped.
  const blanked = sql`changes = replace(changes, ${JSON.stringify(id)}, 'null')`;
  const acted = sql`select seq from oms_history where actor_id = ${id} limit ${CHUNK}`;
  yield* inChunks(
    sql`update oms_history set actor_id = null, actor_name = null, ${blanked}
     where seq ${dialect.among(acted)} returning seq`,
  );
  const mentioned = sql`select seq from oms_history_mentions where object = ${id} order by seq`;
  let next = yield* ask(sql`${mentioned} limit ${CHUNK}`);
  while (next.length > 0) {
    const last = next.at(-1)?.[0] ?? null;
    const here = sql`select seq from oms_history_mentions where object = ${id} and seq <= ${last}`;
    yield* ask(sql`update oms_history set ${blanked} where seq ${dialect.among(here)}`);
    yield* ask(sql`delete from oms_history_mentions where object = ${id} and seq <= ${last}`);
    next = yield* ask(sql`${mentioned} limit ${CHUNK}`);
  }
}

/** Repeats a statement that changes one chunk of rows and returns them, until no row is left. */
function* inChunks(statement: Sql): Work<void> {
  let changed: readonly Row[];
  do changed = yield* ask(statement);
  while (changed.length === CHUNK);
}
