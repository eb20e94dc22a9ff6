/** The value of a field as SQL; the alias of the object's row is `o`. */
import { MAX_DERIVED } from '../declare/common';
import type { Role } from '../../../../core/caller';
import type { Dialect, JsonMember } from '../database/database';
import { ALWAYS, literal, raw, sql, type Sql, type SqlValue } from '../database/sql';
import type { Field, Link, Resource, Resources } from '../declare/completed';
import { storedNames } from '../declare/references';
import { definitionOf, emptyOf } from '../kinds';
import { filePathSql } from '../kinds/path';
import type { TypeAccess } from '../rights/access';
import type { SwitchSettings } from '../site/switches';
import type { PrivacySettings } from '../site/settings';
import { newestFirst } from './newest';
import { edgeList } from './edges';
import { figureFor } from './figures';
import { isFilePath, isInstant, isReference } from '../kinds/traits';
import type { Row } from '../database/work';

export interface Columns {
  /** Of the callers: figures depend on it. */
  readonly role: Role;
  /** What the callers may do with the objects that are read: figures and lists depend on it. The writer reads whole lists. */
  readonly own?: TypeAccess;
  readonly resources: Resources;
  readonly dialect: Dialect;
  readonly site: PrivacySettings & SwitchSettings;
  /** What the caller may do with another type; null for the writer, which selects no derived lists. */
  readonly access: ((type: string) => TypeAccess | undefined) | null;
}

/** The ID of the row of a foreign key. */
const referenced = (target: Resource, column: string): Sql =>
  raw(`(select t.document_id from ${target.table} t where t.id = o.${column})`);

const linked = (
  target: Resource,
  { table, source, target: to, order }: Link,
  told: Sql | undefined,
): Sql =>
  sql`${raw(`select t.document_id as id from ${table} l join ${target.table} t on t.id = l.${to}
   where l.${source} = o.id`)}${told && told !== ALWAYS ? sql` and ${told}` : raw('')} order by ${raw(`l.${order}`)}`;

/** The objects whose field refers to this one, as far as the caller may read them, the newest first. */
function inverse(
  { inverse: by }: Field,
  { resources, dialect, access, site }: Columns,
): Sql | null {
  const from = by && resources.get(by.type);
  const theirs = from && access?.(from.type);
  return from && theirs
    ? dialect.jsonList(newestFirst(from, by.field, theirs, site, MAX_DERIVED))
    : null;
}

/** The objects that other tables tell, as far as the caller may read them; all of them for the writer. */
function listed({ listed: list, to }: Field, columns: Columns): Sql | null {
  const { resources, dialect, access } = columns;
  const target = to === null ? undefined : resources.get(to);
  if (!list || !target || (!access && !list.isOwn)) return null;
  const rows = list.rows(raw('o.id'), storedNames(resources));
  const theirs = access?.(target.type);
  const extent = list.isExact ? theirs?.exact() : theirs?.extent('read');
  const condition = theirs && extent ? theirs.condition(extent, 't') : ALWAYS;
  const limit = raw(list.isOwn ? '' : ` limit ${MAX_DERIVED}`);
  return dialect.jsonList(
    sql`select t.document_id as id from (${rows}) m join ${raw(target.table)} t on t.id = m.id
     where ${condition} order by m.place, m.id${limit}`,
  );
}

/** The value of a field. */
export function fieldValueSql(field: Field, columns: Columns): Sql {
  const { resources } = columns;
  const [column] = field.columns;
  // JSON columns have no default in the database: a row older than the column reads as empty.
  const nothing = emptyOf(field);
  const empty = nothing === null ? raw('null') : literal(JSON.stringify(nothing));
  const isJson = definitionOf(field.kind).json === 'json';
  const target = field.to === null ? undefined : resources.get(field.to);
  if (field.computed) return field.computed('o', columns.site);
  if (field.edges) return edgeList(field, columns);
  if (field.figure) return figureFor(field, columns);
  if (field.inverse) return inverse(field, columns) ?? empty;
  if (field.listed) return listed(field, columns) ?? empty;
  if (target) {
    const referred = toTarget(field, target, columns);
    if (referred) return referred;
  }
  if (column === undefined) return isJson ? empty : raw('null');
  return isJson && nothing !== null
    ? sql`coalesce(${raw(`o.${column}`)}, ${empty})`
    : raw(`o.${column}`);
}

/** The ID or path of what a field refers to, or the list of IDs; null where it is stored elsewhere. */
function toTarget(field: Field, target: Resource, { dialect, own }: Columns): Sql | null {
  const [column] = field.columns;
  if (field.link) return dialect.jsonList(linked(target, field.link, own?.told(field, 'o', 't')));
  if (column !== undefined && isReference(field)) return referenced(target, column);
  if (column !== undefined && isFilePath(field))
    return filePathSql(target.type, referenced(target, column));
  return null;
}

/** A JSON object of these fields. */
export const jsonOf = (fields: readonly Field[], columns: Columns): Sql =>
  columns.dialect.jsonObject(
    fields.map((field): JsonMember => ({
      name: field.name,
      sql: fieldValueSql(field, columns),
      type: definitionOf(field.kind).json,
    })),
  );

/** Columns that a row's JSON objects are made of. */
interface JsonColumns {
  readonly columns: readonly Sql[];
  /** The JSON objects, which have these fields together. @param from the index of the first column in the row */
  read(row: Row, from: number): readonly string[];
}

/**
 * These fields as an object that the database makes, and one of their instants, which it gives as numbers: SQLite takes a
 * sixth of the time of reading an encounter to format two instants.
 */
export function jsonColumns(fields: readonly Field[], columns: Columns): JsonColumns {
  const instants = fields.filter(isInstant);
  const others = fields.filter((field) => !isInstant(field));
  const object = others.length > 0 ? [jsonOf(others, columns)] : [];
  const milliseconds = instants.map((field) =>
    columns.dialect.milliseconds(fieldValueSql(field, columns)),
  );
  const instantOf = ({ name }: Field, value: SqlValue | undefined): string =>
    `"${name}":${value === null || value === undefined ? 'null' : `"${new Date(Number(value)).toISOString()}"`}`;
  return {
    columns: [...object, ...milliseconds],
    read(row, from) {
      const texts = object.length > 0 ? [String(row[from])] : [];
      if (instants.length === 0) return texts;
      const first = from + object.length;
      const members = instants.map((field, at) => instantOf(field, row[first + at]));
      texts.push(`{${members.join(',')}}`);
      return texts;
    },
  };
}
