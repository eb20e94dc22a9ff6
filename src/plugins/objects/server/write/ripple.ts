/**
 * Changes all objects whose field refers to an object that is deleted, or merged into another one. It works in sets,
 * so that a hundred thousand objects need a few hundred statements.
 */
import { amongRows } from '../database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, type Row, type Work } from '../database/work';
import type { Affected } from '../declare/behavior';
import type { Field, Link, Resource, Unique } from '../declare/completed';
import type { FieldChange } from './history-entries';
import { filePath } from '../kinds/path';
import type { Body } from '../declare/objects';
import type { WriteContext } from './context';
import { updateKept } from './kept';
import type { RippleStep, RippleTarget } from './plan';
import { recordRows } from './recording';
import { keyed } from '../define/write-statements';
import { isFilePath } from '../kinds/traits';

/** Removes an object from the field of all objects that refer to it, or puts another one in its place. */
export function* ripple(context: WriteContext, step: RippleStep): Work<void> {
  const { field } = step.referrer;
  const { dialect } = context.model.database;
  const next = field.link
    ? changeLists(context, step, field.link)
    : changeReferences(context, step);
  const rowIds = yield* referring(step);
  // Two changes beside each other could change the same objects.
  if (rowIds.length > 0 && context.isBesideOthers) throw new Error('to be carried out alone');
  const all: Affected[] = [];
  for (let at = 0; at < rowIds.length; at += dialect.setSize)
    all.push(...(yield* next(amongRows(rowIds.slice(at, at + dialect.setSize), dialect))));
  yield* updateKept(context, context.model.type(step.referrer.resource.type), all);
}

/**
 * The rows of the objects whose field refers to it. They are listed once: PostgreSQL passes over the entries that the
 * transaction has changed in an index each time that it looks for more.
 */
function* referring({ referrer: { resource, field }, to }: RippleStep): Work<SqlValue[]> {
  const { link } = field;
  const rows = yield* ask(
    link
      ? sql`select distinct ${raw(link.source)} from ${raw(link.table)} where ${raw(link.target)} = ${to.rowId} order by 1`
      : sql`select id from ${raw(resource.table)} where ${raw(field.columns[0] ?? '')} = ${to.rowId} order by 1`,
  );
  return rows.map(([id = null]) => id);
}

type Gone = RippleStep['to'];

/** Changes one set of objects. @param among the end of the condition on their rows @returns what has become of each */
type Next = (among: Sql) => Work<readonly Affected[]>;

/** The columns that every change of a row sets. */
const touched = ({ model, now }: WriteContext): Sql =>
  sql`version = version + 1, updated_at = ${model.database.dialect.instant(now)}`;

/** Sets references to the object. */
function changeReferences(
  context: WriteContext,
  { referrer: { resource, field }, to, into }: RippleStep,
): Next {
  const table = raw(resource.table);
  const column = raw(field.columns[0] ?? '');
  const keys = keyed(resource).filter(({ dependsOn }) => dependsOn.includes(field.name));
  const returned = ['document_id', 'version', ...keyColumns(resource, keys), 'id'].map(raw);
  return function* (among) {
    const rows = yield* ask(
      sql`update ${table} set ${column} = ${into?.rowId ?? null}, ${touched(context)} where id ${among} and ${column} = ${to.rowId}
       returning ${join(returned)}`,
    );
    for (const [at, rule] of keys.entries()) yield* rekey(context, resource, keys, rule, at, rows);
    const valueOf = (id: string | null): string | null =>
      id !== null && isFilePath(field) ? filePath(to.type.resource.type, id) : id;
    const [was, is] = [valueOf(nameOf(to)), valueOf(into?.id ?? null)];
    const change = { path: field.name, before: was, after: is };
    yield* recordRows(context, resource, rows, () => change);
    const [before, after] = [{ [field.name]: was ?? to.id }, { [field.name]: is }];
    return rows.map((row) => ({ id: String(row[0]), rowId: row.at(-1) ?? null, before, after }));
  };
}

const keyColumns = ({ fields }: Resource, keys: readonly Unique[]): string[] =>
  keys.flatMap((rule) => [
    rule.column,
    ...rule.fields.map((name) => fields.get(name)?.columns[0] ?? 'null'),
  ]);

/** Updates the unique keys that depend on the reference. */
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

/** Changes lists of references. */
function changeLists(
  context: WriteContext,
  { referrer: { resource, field }, to, into }: RippleStep,
  link: Link,
): Next {
  const { dialect } = context.model.database;
  const [table, links] = [raw(resource.table), raw(link.table)];
  const [source, target, order] = [raw(link.source), raw(link.target), raw(link.order)];
  const listed = raw(to.type.resource.table);
  const before = dialect.jsonList(
    sql`select t.document_id as id from ${links} l join ${listed} t on t.id = l.${target}
     where l.${source} = o.id order by l.${order}`,
  );
  return function* (among) {
    // Locked before their lists are read: another writer may have changed these meanwhile.
    yield* ask(
      sql`select o.id from ${table} o where o.id ${among} order by o.id${dialect.forUpdate('o')}`,
    );
    const holders = yield* ask(
      sql`select o.id, o.document_id, cast(${before} as text) from ${table} o
       where o.id ${among} and o.id in (select ${source} from ${links} where ${target} = ${to.rowId})`,
    );
    if (holders.length === 0) return [];
    const held = amongRows(
      holders.map(([rowId = null]) => rowId),
      dialect,
    );
    const rows = yield* ask(
      sql`update ${table} set ${touched(context)} where id ${held}
       returning document_id, version`,
    );
    const entries = sql`${target} = ${to.rowId} and ${source} ${held}`;
    if (into)
      yield* ask(
        sql`update ${links} set ${target} = ${into.rowId} where ${entries} and ${source} not in (
          select l.${source} from ${links} l where l.${target} = ${into.rowId})`,
      );
    yield* ask(sql`delete from ${links} where ${entries}`);
    const lists = new Map(
      holders.map(([, id, text]) => [id, JSON.parse(String(text)) as string[]]),
    );
    yield* recordRows(context, resource, rows, (id) =>
      listChange(field, lists.get(id) ?? [], to, into),
    );
    return holders.map(([rowId = null, id = null]) => {
      const listed = lists.get(id) ?? [];
      const left = replaced(listed, to, into);
      const [before, after] = [{ [field.name]: listed }, { [field.name]: left }];
      return { id: String(id), rowId, before, after };
    });
  };
}

const listChange = (
  { name }: Field,
  before: readonly string[],
  gone: Gone,
  into: RippleTarget | null,
): FieldChange => ({
  path: name,
  before: before.map((id) => (id === gone.id ? nameOf(gone) : id)),
  after: replaced(before, gone, into),
});

/** A list of IDs in which an object gives way to another one, or to nothing where that is in the list already. */
const replaced = (
  list: readonly string[],
  gone: Gone,
  into: RippleTarget | null,
): readonly string[] =>
  into && !list.includes(into.id)
    ? list.map((id) => (id === gone.id ? into.id : id))
    : list.filter((id) => id !== gone.id);

/** The ID of the object that goes in the history; null for a type whose objects have to be forgotten. */
const nameOf = ({ type, id }: Gone): string | null => (type.resource.forgotten ? null : id);
