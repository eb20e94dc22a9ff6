/** The statements that read objects for one kind of caller, compiled at their first use. */
import { join, literal, raw, slot, sql, type Sql, type SqlValue } from '../database/sql';
import type { Dialect } from '../database/database';
import type { Row } from '../database/work';
import type { Field, Resource } from '../declare/completed';
import { isCurrent } from '../declare/references';
import type { TypeAccess } from '../rights/access';
import { reaches, type Extent } from '../declare/row';
import { sourcesOf } from '../declare/views';
import type { Body } from '../declare/objects';
import { jsonColumns, jsonOf, type Columns } from './columns';
import { FactColumns, NO_FACTS, type Facts } from './facts';
import { traitsOf } from '../kinds/traits';

/** A selected object. Some parts are for certain callers only. */
export interface Selected {
  readonly rowId: SqlValue;
  readonly version: number;
  readonly facts: Facts;
  /** JSON objects whose members together are the object as this caller sees it. */
  readonly parts: readonly string[];
  /** Whether the object was merged into another one. */
  readonly isMerged: boolean;
}

export interface ObjectSelect {
  /** Slots: `id` and the caller's. */
  readonly sql: Sql;
  read(row: Row): Selected;
  /** The statement for an object of whose row this is true: it is not read. */
  readonly instead?: { readonly of: (row: Row) => boolean; readonly select: ObjectSelect };
}

/** The columns that come before the facts: row, version, and what the object was merged into. */
const leadingColumns = ({ mergedInto }: Resource): readonly Sql[] => [
  raw('o.id'),
  raw('o.version'),
  raw(mergedInto ? `o.${mergedInto.columns[0]}` : 'null'),
];
const LEADING = 3;

const leadingValues = ([rowId = null, version, mergedInto = null]: Row) => ({
  rowId,
  version: Number(version),
  isMerged: mergedInto !== null,
});

/** The statement with which these callers read a type. @param only the fields that are read; all if it is null */
export function compileSelect(
  resource: Resource,
  access: TypeAccess,
  actions: readonly string[],
  columns: Columns,
  only: ReadonlySet<string> | null = null,
): ObjectSelect & { readonly columns: readonly Sql[] } {
  const fields = [...resource.fields.values()].filter(
    ({ name, input }) => input === null && (only?.has(name) ?? true),
  );
  const groups = new Map<string, { extent: Extent; fields: Field[] }>();
  for (const field of fields) {
    const extent = access.seen(field);
    if (extent.length === 0) continue;
    // What strangers see in part is a part of its own.
    const key = `${String(extent)} ${field.toStrangers ? field.name : ''}`;
    const group = groups.get(key) ?? { extent, fields: [] };
    group.fields.push(field);
    groups.set(key, group);
  }
  const facts = new FactColumns(access, [
    ...actions.flatMap((action) => [access.extent(action), access.offered(action)]),
    ...[...groups.values()].map(({ extent }) => extent),
  ]);
  const json: Sql[] = [];
  const parts = [...groups.values()].map(({ extent, fields: of }) => {
    const objects = jsonColumns(of, { ...columns, own: access });
    const from = LEADING + facts.columns.length + json.length;
    json.push(...objects.columns);
    return { extent, of, textsOf: (row: Row) => objects.read(row, from) };
  });
  return {
    sql: select(resource, facts, json),
    columns: [...leadingColumns(resource), ...facts.columns, ...json],
    read(row) {
      const found = facts.read(row, LEADING);
      const seen: string[] = [];
      for (const { extent, of, textsOf } of parts) {
        if (!reaches(extent, found.relations)) continue;
        for (const text of textsOf(row)) seen.push(found.isStranger ? toStrangers(text, of) : text);
      }
      const { rowId, version, isMerged } = leadingValues(row);
      return { rowId, version, isMerged, facts: found, parts: seen };
    },
  };
}

/** The JSON object with these fields as strangers see them. Most objects have nothing of which a stranger sees a part. */
function toStrangers(text: string, [field]: readonly Field[]): string {
  if (!field?.toStrangers || text.endsWith('null}')) return text;
  const { [field.name]: value } = JSON.parse(text) as Body;
  return JSON.stringify({ [field.name]: field.toStrangers(value) });
}

export interface ManySelect {
  readonly sql: Sql;
  read(row: Row): Selected & { readonly id: string };
}

/**
 * The statement with which these callers read several objects of a type, in no order.
 *
 * @param only the fields that are read; all if it is null
 */
export function compileSelectMany(
  resource: Resource,
  access: TypeAccess,
  actions: readonly string[],
  columns: Columns,
  only: ReadonlySet<string> | null = null,
): ManySelect {
  const one = compileSelect(resource, access, actions, columns, only);
  const readable = access.condition(access.extent('read'), 'o');
  const ids = sql`select j.value from ${columns.dialect.jsonItems(sql`${slot('ids')}`)}`;
  // The objects are found by their IDs: of what is readable there may be many, and an index of it would be a detour.
  return {
    sql: sql`select ${join([...one.columns, raw('o.document_id')])} from ${raw(resource.table)} o
      where o.document_id in (${ids}) and (${isCurrent(resource, 'o')} and ${readable}) is true`,
    read: (row) => ({ ...one.read(row), id: String(row.at(-1)) }),
  };
}

/** What is loaded of an object; by default all of it, for who changes it. */
interface Loading {
  readonly fields?: readonly string[];
  /** Whether nobody else may change it before the transaction ends. */
  readonly isLocked?: boolean;
}

/** The statement by which the writer gets an object, with what these callers may do with it. */
export function compileLoad(
  resource: Resource,
  access: TypeAccess,
  actions: readonly string[],
  columns: Columns,
  { fields: names, isLocked = true }: Loading = {},
): ObjectSelect {
  const fields = [...resource.fields.values()].filter(
    ({ name, input, computed, figure }) =>
      input === null && computed === null && figure === null && (names?.includes(name) ?? true),
  );
  const facts = new FactColumns(access, [
    ...actions.map((action) => access.extent(action)),
    ...(isLocked ? fields.flatMap((field) => [access.seen(field), access.written(field)]) : []),
  ]);
  const at = LEADING + facts.columns.length;
  const whole = select(resource, facts, [jsonOf(fields, columns)]);
  return {
    sql: isLocked ? sql`${whole}${columns.dialect.forUpdate('o')}` : whole,
    read: (row) => ({
      ...leadingValues(row),
      facts: facts.read(row, LEADING),
      parts: [String(row[at])],
    }),
  };
}

/** The statement that locks an object. Slot: `id`. */
export function compileLock({ table, fields }: Resource, dialect: Dialect): Sql | null {
  const hasOwnLists = [...fields.values()].some(({ listed }) => listed?.isOwn);
  const lock = dialect.forUpdate('o');
  if (!hasOwnLists || lock.chunks.join('') === '') return null;
  return sql`select o.id from ${raw(table)} o where o.document_id = ${slot('id')}${lock}`;
}

/** @param json the columns after the facts, which need nothing of the caller */
function select(resource: Resource, facts: FactColumns, json: readonly Sql[]): Sql {
  return ofOne(resource, [...leadingColumns(resource), ...facts.columns, ...json]);
}

export const ofOne = ({ table }: Resource, columns: readonly Sql[]): Sql =>
  sql`select ${join(columns)} from ${raw(table)} o where o.document_id = ${slot('id')}`;

/** The statement that finds what a caller is to one object. */
export interface FactSelect {
  /** Slots: `id` and the caller's. */
  readonly sql: Sql;
  read(row: Row): Facts;
}

/** The statement with the facts that these actions, and what the caller sees of the object, depend on. */
export function compileFacts(
  resource: Resource,
  access: TypeAccess,
  actions: readonly string[],
): FactSelect {
  const facts = new FactColumns(access, [
    ...actions.map((action) => access.extent(action)),
    ...[...resource.fields.values()].map((field) => access.seen(field)),
  ]);
  return { sql: select(resource, facts, []), read: (row) => facts.read(row, LEADING) };
}

/** A selected summary. */
export interface SelectedSummary {
  readonly type: string;
  readonly id: string;
  readonly object: string;
  readonly facts: Facts;
}

export interface SummarySelect {
  /** Slots: for each type `ids_<type>`, a JSON list, and the caller's. */
  readonly sql: Sql;
  read(row: Row): SelectedSummary;
}

/** The slot of the IDs of a type. */
export const idsOf = (type: string): string => `ids_${type}`;

/** The statement that selects the summaries of objects of several types for these callers. */
export function compileSummaries(
  types: readonly { readonly resource: Resource; readonly access: TypeAccess }[],
  columns: Columns,
): SummarySelect {
  const summaries = types.map(({ resource, access }) => summaryOf(resource, access, columns));
  const width = Math.max(0, ...summaries.map(({ facts }) => facts.columns.length));
  const byType = new Map(summaries.map((summary) => [summary.type, summary]));
  return {
    sql: join(
      summaries.map(({ select }) => select(width)),
      ' union all ',
    ),
    read(row) {
      const type = String(row[0]);
      const facts = byType.get(type)?.facts.read(row, 3) ?? NO_FACTS;
      return { type, id: String(row[1]), object: String(row[2]), facts };
    },
  };
}

/** The fields with the size of an image that has renditions. */
const sizeOf = ({ picture, fields }: Resource): Field[] =>
  picture && traitsOf(picture).picture === 'own'
    ? ['width', 'height'].flatMap((name) => fields.get(name) ?? [])
    : [];

/** The part of that statement for one type, with this many columns of facts. */
function summaryOf(resource: Resource, access: TypeAccess, columns: Columns) {
  const { type, displayName, picture, summary, fields, table } = resource;
  const shown = [displayName, ...(picture ? [picture] : []), ...summary, ...sizeOf(resource)];
  const sources = new Set(shown.flatMap(sourcesOf));
  const named = [...sources].flatMap((name) => fields.get(name) ?? []);
  const facts = new FactColumns(
    access,
    shown.map((field) => access.seen(field)),
  );
  const select = (width: number): Sql => {
    const told = Array.from({ length: width }, (_, at) => facts.columns[at] ?? raw('null'));
    const selected = [
      literal(type),
      raw('o.document_id'),
      jsonOf(named, columns),
      ...told.map((fact) => sql`cast(${fact} as text)`),
    ];
    return sql`select ${join(selected)} from ${raw(table)} o
      where o.document_id in (select j.value from ${columns.dialect.jsonItems(sql`${slot(idsOf(type))}`)})
      and ${access.condition(access.extent('read'), 'o')}`;
  };
  return { type, facts, select };
}

/** Joins several JSON objects, all of them texts, to one. */
export function joinObjects(texts: readonly string[]): string {
  const members = texts.map((text) => text.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}`;
}
