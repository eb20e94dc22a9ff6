/**
 * A change of many objects at once: those whose field refers to an object that is deleted. Set by set, so that a
 * hundred thousand of them are a few hundred statements; between two sets other events are handled.
 */
import { join, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, PAUSE, type Row, type Work } from '../database/work';
import type { Field, Link, Resource, Unique } from '../define/completed';
import { mentionsIn, recordAll, type FieldChange } from '../history/record';
import { filePath } from '../kinds/path';
import type { Body } from '../types';
import type { WriteContext } from './context';
import type { RippleStep } from './plan';
import { keyed } from './statements';

/**
 * How many objects are changed before other events are handled. A quarter as many made a deletion take three times as
 * long on SQLite beside reads, which were answered no sooner (docs/performance.md).
 */
const CHUNK = 1000;

/** Takes an object out of the field of all others that refer to it. */
export function* ripple(context: WriteContext, step: RippleStep): Work<void> {
  const { field } = step.referrer;
  const next = field.link ? takeOff(context, step, field.link) : clear(context, step);
  for (;;) {
    const count = yield* next();
    if (count < CHUNK) return;
    yield PAUSE;
  }
}

type Gone = RippleStep['to'];

/** Changes one set of objects. @returns how many there were */
type Next = () => Work<number>;

/** What every change of a row sets. */
const touched = ({ model, now }: WriteContext): Sql =>
  sql`version = version + 1, updated_at = ${model.database.dialect.instant(now)}`;

/** Empties a reference to one object. */
function clear(context: WriteContext, { referrer: { resource, field }, to }: RippleStep): Next {
  const table = raw(resource.table);
  const column = raw(field.columns[0] ?? '');
  const keys = keyed(resource).filter(({ dependsOn }) => dependsOn.includes(field.name));
  const returned = ['document_id', 'version', ...keyColumns(resource, keys)].map(raw);
  return function* () {
    const rows = yield* ask(
      sql`update ${table} set ${column} = null, ${touched(context)}
       where id in (select o.id from ${table} o where o.${column} = ${to.rowId} limit ${raw(String(CHUNK))})
       returning ${join(returned)}`,
    );
    for (const [at, rule] of keys.entries()) yield* rekey(context, resource, keys, rule, at, rows);
    const gone = nameOf(to);
    const named =
      gone !== null && field.kind === 'path' ? filePath(to.type.resource.type, gone) : gone;
    const change = { path: field.name, before: named, after: null };
    yield* recordRows(context, resource, rows, () => change);
    return rows.length;
  };
}

const keyColumns = ({ fields }: Resource, keys: readonly Unique[]): string[] =>
  keys.flatMap((rule) => [
    rule.column,
    ...rule.fields.map((name) => fields.get(name)?.columns[0] ?? 'null'),
  ]);

/** The keys that the reference was a part of. */
function* rekey(
  { model }: WriteContext,
  resource: Resource,
  keys: readonly Unique[],
  rule: Unique,
  at: number,
  rows: readonly Row[],
): Work<void> {
  const before = keys.slice(0, at).reduce((sum, { fields }) => sum + 1 + fields.length, 2);
  const changed = rows.flatMap((row): [SqlValue, SqlValue][] => {
    const [key, ...values] = row.slice(before, before + 1 + rule.fields.length);
    const object: Body = Object.fromEntries(
      rule.fields.map((name, place) => [name, values[place]]),
    );
    const after = rule.key(object);
    return after === key ? [] : [[row[0] ?? null, after]];
  });
  if (changed.length === 0) return;
  const fresh = model.database.dialect.jsonRows(sql`${JSON.stringify(changed)}`, [
    { name: 'id', type: 'text' },
    { name: 'key', type: 'text' },
  ]);
  yield* ask(
    sql`update ${raw(resource.table)} set ${raw(rule.column)} = r.key from ${fresh}
     where document_id = r.id`,
  );
}

/** Takes an object off the lists that it is on. */
function takeOff(
  context: WriteContext,
  { referrer: { resource, field }, to }: RippleStep,
  link: Link,
): Next {
  const { dialect } = context.model.database;
  const [table, links] = [raw(resource.table), raw(link.table)];
  const [source, target, order] = [raw(link.source), raw(link.target), raw(link.order)];
  const listed = raw(to.type.resource.table);
  const list = dialect.jsonList(
    sql`select t.document_id as id from ${links} l join ${listed} t on t.id = l.${target}
     where l.${source} = o.id order by l.${order}`,
  );
  return function* () {
    const holders = yield* ask(
      sql`select o.id, o.document_id, cast(${list} as text) from ${table} o
       where o.id in (select l.${source} from ${links} l where l.${target} = ${to.rowId} limit ${raw(String(CHUNK))})`,
    );
    if (holders.length === 0) return 0;
    const ids = dialect.jsonRows(sql`${JSON.stringify(holders.map(([id]) => [id]))}`, [
      { name: 'id', type: 'integer' },
    ]);
    const rows = yield* ask(
      sql`update ${table} set ${touched(context)} where id in (select r.id from ${ids})
       returning document_id, version`,
    );
    yield* ask(
      sql`delete from ${links} where ${target} = ${to.rowId} and ${source} in (select r.id from ${ids})`,
    );
    const lists = new Map(
      holders.map(([, id, text]) => [id, JSON.parse(String(text)) as string[]]),
    );
    yield* recordRows(context, resource, rows, (id) => removal(field, lists.get(id) ?? [], to));
    return holders.length;
  };
}

const removal = ({ name }: Field, before: readonly string[], gone: Gone): FieldChange => ({
  path: name,
  before: before.map((id) => (id === gone.id ? nameOf(gone) : id)),
  after: before.filter((id) => id !== gone.id),
});

/** How history names what goes: not at all, where nothing of it may stay. */
const nameOf = ({ type, id }: Gone): string | null => (type.resource.forgotten ? null : id);

function* recordRows(
  { caller, now, newId, model }: WriteContext,
  { type }: Resource,
  rows: readonly Row[],
  changeOf: (id: SqlValue) => FieldChange,
): Work<void> {
  const { mentioning } = model.type(type);
  const entries = rows.map(([id = null, version]) => {
    const changes = [changeOf(id)];
    const mentions = mentionsIn(changes, mentioning, caller);
    return { id: newId(), object: String(id), version: Number(version), changes, mentions };
  });
  if (entries.length === 0) return;
  const head = { type, at: now, action: 'update', caller } as const;
  yield* recordAll(head, entries, model.database.dialect);
}
