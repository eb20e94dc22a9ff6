/**
 * Relationships between objects of one type. An edge is one row, and in the lists of both: a change of it is a change of
 * both, each with its version and history.
 */
import { isDeepStrictEqual } from 'node:util';
import { amongRows } from '../database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Field, Resource } from '../declare/completed';
import type { EdgesDeclaration as Edges } from '../declare/declaration';
import type { FieldChange } from './history-entries';
import type { Relationship } from '../kinds/relationships';
import { edgeList, sorted } from '../read/edges';
import type { TypeModel } from '../read/model';
import type { Body } from '../declare/objects';
import type { WriteContext } from './context';
import type { MoveEdgesStep } from './plan';
import { updateKept } from './kept';
import { recordRows } from './recording';

type List = readonly Relationship[];

const listOf = (object: Body | null, name: string): List => (object?.[name] ?? []) as List;

/** Those of a list that another does not have. */
const beyond = (list: List, other: List): List =>
  list.filter((one) => !other.some((known) => isDeepStrictEqual(known, one)));

/** The object with its relationships as they are read: in their order, each once. */
export function withSortedEdges({ fields }: Resource, object: Body): Body {
  const edges = [...fields.values()].filter((field) => field.edges !== null);
  if (edges.length === 0) return object;
  return {
    ...object,
    ...Object.fromEntries(edges.map(({ name }) => [name, sorted(listOf(object, name))])),
  };
}

/** Writes the edges that have changed; a deleted object loses all. */
export function* writeEdges(
  context: WriteContext,
  known: TypeModel,
  rowId: SqlValue,
  before: Body | null,
  after: Body | null,
): Work<void> {
  for (const field of known.resource.fields.values()) {
    const { edges, name } = field;
    if (!edges) continue;
    const [was, is] = [listOf(before, name), listOf(after, name)];
    const [gone, fresh] = [beyond(was, is), beyond(is, was)];
    if (gone.length + fresh.length === 0) continue;
    const others = yield* lockOthers(context, known.resource, field, [...gone, ...fresh]);
    for (const one of gone) yield* take(edges, rowId, others, one);
    for (const one of fresh) yield* put(edges, rowId, others, one, after ?? {});
    yield* tellOthers(context, known, field, others);
  }
}

/** Moves the edges of several objects to the one that they are merged into; those among them go. */
export function* moveEdges(
  context: WriteContext,
  { type: known, into, from, before, after }: MoveEdgesStep,
): Work<void> {
  const { dialect } = context.model.database;
  const all = [into, ...from];
  const merging = new Set(all.map(({ rowId }) => Number(rowId)));
  const ids = new Set(all.map(({ id }) => id));
  const among = amongRows([...merging], dialect);
  for (const field of known.resource.fields.values()) {
    const { edges, name } = field;
    if (!edges) continue;
    const ends = before
      .flatMap((one) => listOf(one, name))
      .filter((one) => !ids.has(one.individual));
    const others = yield* lockOthers(context, known.resource, field, ends);
    const table = raw(edges.table);
    const rows = yield* ask(
      sql`delete from ${table} where source ${among} or target ${among} returning source, target, type`,
    );
    const at = (row: SqlValue | undefined): number =>
      merging.has(Number(row)) ? Number(into.rowId) : Number(row);
    const moved = rows
      .map(([source, target, type]) => ({
        source: at(source),
        target: at(target),
        type: String(type),
      }))
      .filter(({ source, target }) => source !== target)
      .map((edge) => storedEdge(edges, edge, Number(into.rowId), after));
    const fresh = dialect.jsonRows(sql`${JSON.stringify(moved)}`, [
      { name: 'source', type: 'integer' },
      { name: 'target', type: 'integer' },
      { name: 'type', type: 'text' },
    ]);
    yield* ask(
      sql`insert into ${table} (source, target, type)
        select distinct r.source, r.target, r.type from ${fresh}`,
    );
    yield* tellOthers(context, known, field, others);
  }
}

/** An edge as it is stored: what a merged object is to another one follows from what is known of it now. */
function storedEdge(
  { alike, inverses, inverted }: Edges,
  { source, target, type }: { source: number; target: number; type: string },
  into: number,
  after: Body,
): readonly [source: number, target: number, type: string] {
  if (alike.includes(type)) return [Math.min(source, target), Math.max(source, target), type];
  const isInverted = target === into && type in inverses;
  return [source, target, isInverted ? (inverted(after) ?? type) : type];
}

/** The other ends, by ID: their rows and lists. */
type Others = ReadonlyMap<string, { readonly rowId: SqlValue; readonly list: List }>;

function* lockOthers(
  { model: { database, resources } }: WriteContext,
  resource: Resource,
  field: Field,
  list: List,
): Work<Others> {
  const { dialect } = database;
  const ids = JSON.stringify(list.map(({ individual }) => individual));
  const found = sql`from ${raw(resource.table)} o
    where o.document_id ${dialect.among(sql`select j.value from ${dialect.jsonItems(sql`${ids}`)}`)} order by o.id`;
  // In a statement of its own: what waits for a lock would read the edges as they were before.
  yield* ask(sql`select o.id ${found}${dialect.forNoKeyUpdate}`);
  const rows = yield* ask(
    sql`select o.document_id, o.id, cast(${edgeList(field, { resources, dialect, access: null })} as text) ${found}`,
  );
  return new Map(
    rows.map(([id, rowId = null, text]) => [
      String(id),
      { rowId, list: JSON.parse(String(text)) as List },
    ]),
  );
}

/** The condition on the ends of an edge between two rows, one of which is this one's. */
function between({ inverses, alike }: Edges, own: SqlValue, other: SqlValue, type: string): Sql {
  const ends = (source: SqlValue, target: SqlValue): Sql =>
    sql`(source = ${source} and target = ${target})`;
  if (alike.includes(type)) return sql`(${ends(own, other)} or ${ends(other, own)})`;
  return type in inverses ? ends(own, other) : ends(other, own);
}

/** The types as which edges of a type in a list are stored. */
const storedTypes = ({ inverses }: Edges, type: string): readonly string[] => {
  const directed = Object.keys(inverses).filter((one) => inverses[one] === type);
  return directed.length > 0 ? directed : [type];
};

function* take(
  edges: Edges,
  own: SqlValue,
  others: Others,
  { individual, type }: Relationship,
): Work<void> {
  const other = others.get(individual)?.rowId ?? null;
  for (const stored of storedTypes(edges, type))
    yield* ask(
      sql`delete from ${raw(edges.table)} where type = ${stored} and ${between(edges, own, other, type)}`,
    );
}

function* put(
  edges: Edges,
  own: SqlValue,
  others: Others,
  { individual, type }: Relationship,
  object: Body,
): Work<void> {
  const other = others.get(individual)?.rowId ?? null;
  const isInverse = Object.values(edges.inverses).includes(type);
  const stored = isInverse ? edges.inverted(object) : type;
  // Of two that are alike, the lower row is the source.
  const isTarget = isInverse || (edges.alike.includes(type) && Number(own) > Number(other));
  const [source, target] = isTarget ? [other, own] : [own, other];
  yield* ask(
    sql`insert into ${raw(edges.table)} (source, target, type) values (${source}, ${target}, ${stored})
     on conflict (source, target, type) do nothing`,
  );
}

/** Counts the change for the other ends whose lists have changed. */
function* tellOthers(
  context: WriteContext,
  known: TypeModel,
  field: Field,
  others: Others,
): Work<void> {
  const { model, now } = context;
  const { database, resources } = model;
  const { dialect } = database;
  const { resource } = known;
  const table = raw(resource.table);
  const all = [...others.values()].map(({ rowId }) => rowId);
  const stored = yield* ask(
    sql`select o.document_id, cast(${edgeList(field, { resources, dialect, access: null })} as text)
     from ${table} o where o.id ${amongRows(all, dialect)}`,
  );
  const changed = stored.flatMap(([id, text]) => {
    const was = others.get(String(id));
    const after = JSON.parse(String(text)) as List;
    return was && !isDeepStrictEqual(was.list, after)
      ? [{ id: String(id), rowId: was.rowId, before: was.list, after }]
      : [];
  });
  if (changed.length === 0) return;
  const rowIds = changed.map(({ rowId }) => rowId);
  const versions = yield* ask(
    sql`update ${table} set version = version + 1, updated_at = ${dialect.instant(now)}
     where id ${amongRows(rowIds, dialect)} returning document_id, version`,
  );
  const lists = new Map<SqlValue, FieldChange>(
    changed.map(({ id, before, after }) => [id, { path: field.name, before, after }]),
  );
  yield* recordRows(context, resource, versions, (id) => lists.get(id));
  yield* updateKept(
    context,
    known,
    changed.map(({ id, rowId, before, after }) => ({
      id,
      rowId,
      before: { [field.name]: before },
      after: { [field.name]: after },
    })),
  );
}
