/** The value of a field as SQL; the alias of the object's row is `o`. */
import type { Dialect, JsonMember } from '../database/database';
import { literal, raw, sql, type Sql } from '../database/sql';
import type { Field, Link, Resource, Resources } from '../define/completed';
import { definitionOf, emptyOf } from '../kinds';
import { filePathSql } from '../kinds/path';

/** The maximum length of a derived list; a search gives the rest. */
const MAX_DERIVED = 1000;

export interface Columns {
  readonly resources: Resources;
  readonly dialect: Dialect;
  /**
   * The condition that the caller may read a row of another type; null for the writer, which selects no derived lists.
   */
  readonly readable: ((type: string, alias: string) => Sql) | null;
}

/** The ID of the row of a foreign key. */
const referenced = (target: Resource, column: string): Sql =>
  raw(`(select t.document_id from ${target.table} t where t.id = o.${column})`);

const linked = (target: Resource, { table, source, target: to, order }: Link): Sql =>
  raw(`select t.document_id as id from ${table} l join ${target.table} t on t.id = l.${to}
   where l.${source} = o.id order by l.${order}`);

/** The objects whose field refers to this one, as far as the caller may read them. */
function inverse({ inverse: by }: Field, { resources, dialect, readable }: Columns): Sql | null {
  const from = by && resources.get(by.type);
  const [column] = from?.fields.get(by?.field ?? '')?.columns ?? [];
  if (!from || column === undefined || !readable) return null;
  return dialect.jsonList(
    sql`select e.document_id as id from ${raw(from.table)} e
     where ${raw(`e.${column} = o.id`)} and ${readable(from.type, 'e')}
     order by e.created_at desc, e.id desc limit ${raw(String(MAX_DERIVED))}`,
  );
}

/** The value of a field. */
export function valueOf(field: Field, columns: Columns): Sql {
  const { resources, dialect } = columns;
  const [column] = field.columns;
  // JSON columns have no default in the database: a row older than the column reads as empty.
  const nothing = emptyOf(field);
  const empty = nothing === null ? raw('null') : literal(JSON.stringify(nothing));
  const isJson = definitionOf(field.kind).json === 'json';
  const target = field.to === null ? undefined : resources.get(field.to);
  if (field.computed) return field.computed(raw('o.document_id'));
  if (field.inverse) return inverse(field, columns) ?? empty;
  if (field.link && target) return dialect.jsonList(linked(target, field.link));
  if (column === undefined) return isJson ? empty : raw('null');
  if (target && field.kind === 'reference') return referenced(target, column);
  if (target && field.kind === 'path') return filePathSql(target.type, referenced(target, column));
  return isJson && nothing !== null
    ? sql`coalesce(${raw(`o.${column}`)}, ${empty})`
    : raw(`o.${column}`);
}

/** A JSON object of these fields. */
export const jsonOf = (fields: readonly Field[], columns: Columns): Sql =>
  columns.dialect.jsonObject(
    fields.map((field): JsonMember => ({
      name: field.name,
      sql: valueOf(field, columns),
      type: definitionOf(field.kind).json,
    })),
  );
