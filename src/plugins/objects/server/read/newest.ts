/** Lists of the objects that refer to one, the newest first, as one caller may see them. */
import { ALWAYS, join, literal, raw, sql, type Sql } from '../database/sql';
import type { Resource } from '../declare/completed';
import { isCurrent } from '../declare/references';
import type { TypeAccess } from '../rights/access';
import type { SwitchSettings } from '../site/switches';
import { EXACT, isKeptFor, viewOf } from '../declare/views';
import { isSpan } from '../kinds/traits';

/** Where a part of the list comes from, and the columns by which it is in order. */
interface Branch {
  /** From `from` to the end of the condition; the object's row is `e`. */
  readonly rows: Sql;
  /** The columns of the beginning and the end of the time, and of the ID. */
  readonly start: string;
  readonly end: string;
  readonly id: string;
}

/** The time by which objects of a type are in order; that of their creation where they have no other. */
function timeOf({ fields }: Resource): {
  readonly name: string;
  readonly columns: [string, string];
} {
  const field = [...fields.values()].find((one) => isSpan(one) && one.columns.length > 0);
  const [, start = 'created_at', end = 'created_at'] = field?.columns ?? [];
  return { name: field?.name ?? 'created_at', columns: [start, end] };
}

/**
 * The objects whose field refers to the row `o` and that the caller may read: the newest first, by their time as this
 * caller sees it, those without one at the end, and by ID where it is the same.
 *
 * What the caller sees as it is stored is found by an index of the type's table, the rest by one of the table with what
 * is kept of its views: each part ends after as many as are wanted, however many there are.
 *
 * In a view that does not show the reference, an object is not among them: the list would tell it.
 *
 * @param reference the field that refers, one of the type at the other end
 */
export function newestFirst(
  from: Resource,
  reference: string,
  access: TypeAccess,
  site: SwitchSettings,
  limit: number,
): Sql {
  const { views, table, fields } = from;
  const readable = sql`${access.condition(access.extent('read'), 'e')} and ${isCurrent(from, 'e')}`;
  const view = access.view('e');
  const { name, columns } = timeOf(from);
  const refers = raw(`e.${fields.get(reference)?.columns[0]} = o.id`);
  const all = sql`from ${raw(table)} e where ${refers} and ${readable}`;
  const stored = { start: `e.${columns[0]}`, end: `e.${columns[1]}`, id: 'e.document_id' };
  const kept = views?.kept;
  if (!view || !views || !kept) return merged(halves({ ...stored, rows: all }), limit);

  // Not `view = 'exact'`: PostgreSQL takes that for so rare that it sorts all of them.
  const isExact = sql`case ${view} when ${literal(EXACT)} then true else false end`;
  const exact = { ...stored, rows: sql`${all} and ${isExact}` };
  const field = fields.get(reference);
  const telling = [...views.names].filter((name) => field && viewOf(field, name, site) === 'shown');
  if (telling.length === 0) return merged(halves(exact), limit);
  const others = sql`from ${raw(kept.name)} g join ${raw(table)} e on e.id = g.${raw(kept.row)}
    where ${raw(`g.${reference} = o.id`)} and ${readable} and ${isKeptFor(views, kept, view, 'g')}
    and ${view} in (${join(telling.map(literal))})`;
  const general = {
    rows: others,
    start: `g.${name}_start`,
    end: `g.${name}_end`,
    id: 'g.document_id',
  };
  return merged([...halves(exact), ...halves(general)], limit);
}

/** The condition that an object's row tells the caller what a field of it refers to: its view shows the field. */
export function tellsReference(
  { views, fields }: Resource,
  reference: string,
  access: TypeAccess,
  site: SwitchSettings,
  alias: string,
): Sql {
  const [view, field] = [access.view(alias), fields.get(reference)];
  if (!view || !views || !field) return ALWAYS;
  const all = [EXACT, ...views.names];
  const telling = all.filter((name) => viewOf(field, name, site) === 'shown');
  return telling.length === all.length ? ALWAYS : sql`${view} in (${join(telling.map(literal))})`;
}

/** With a time and without: the databases differ in where they put what has none. */
function halves({ rows, start, end, id }: Branch): Sql[] {
  const selected = raw(`select ${id} as id, ${start} as time_start, ${end} as time_end`);
  const order = raw(`order by ${start} desc, ${end} desc, ${id} desc`);
  return [
    sql`${selected} ${rows} and ${raw(start)} is not null ${order}`,
    sql`${selected} ${rows} and ${raw(start)} is null ${raw(`order by ${id} desc`)}`,
  ];
}

function merged(parts: readonly Sql[], limit: number): Sql {
  const most = raw(`limit ${limit}`);
  const union = join(
    parts.map((part) => sql`select * from (${part} ${most}) part`),
    ' union all ',
  );
  return sql`select u.id as id from (${union}) u
    order by case when u.time_start is null then 1 else 0 end, u.time_start desc, u.time_end desc, u.id desc
    ${most}`;
}
