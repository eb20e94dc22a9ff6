/** The SQL that gives an object: compiled once per type and kind of reader. */
import type { Dialect, JsonMember, JsonType } from '../database/database';
import type { SqlValue } from '../database/work';
import type { Audience, Kind } from '../define/declaration';
import { AUDIENCES } from '../define/declaration';
import type { Field, Link, Resource, Resources } from '../define/resource';
import type { Condition } from './visible';

/**
 * A select that gives a row ID, the version, the owner, whether it is approved, and one JSON object
 * per audience.
 */
export interface ObjectSelect {
  readonly text: string;
  /** The audiences, in the order of the JSON columns. */
  readonly audiences: readonly Audience[];
  /** The values of `text`: what the caller may read is decided in it. */
  values(id: string, callerId: string | null): SqlValue[];
}

/** The columns that come before the JSON objects. */
export const LEADING_COLUMNS = 4;

/** How many entries a derived list has; the rest is to be searched for. */
const MAX_DERIVED = 1000;

const JSON_TYPES: Record<Kind, JsonType> = {
  id: 'plain',
  text: 'plain',
  uuid: 'plain',
  email: 'plain',
  url: 'plain',
  country: 'plain',
  language: 'plain',
  choice: 'plain',
  number: 'plain',
  integer: 'plain',
  boolean: 'boolean',
  time: 'plain',
  instant: 'instant',
  localized: 'json',
  texts: 'json',
  measurements: 'json',
  customFields: 'json',
  region: 'plain',
  reference: 'plain',
  references: 'json',
  path: 'plain',
  secret: 'plain',
};

/** SQL of the ID that a foreign key stands for. */
const referenced = (target: Resource, column: string): string =>
  `(select t.document_id from ${target.table} t where t.id = o.${column})`;

const linked = (target: Resource, { table, source, target: to, order }: Link): string =>
  `select t.document_id as id from ${table} l join ${target.table} t on t.id = l.${to}
   where l.${source} = o.id order by l.${order}`;

interface Compiling {
  readonly resources: Resources;
  readonly dialect: Dialect;
  /** Which rows of another type the reader may see; null for the writer, who is not given derived lists. */
  readonly readable: ((resource: Resource, alias: string) => Condition) | null;
}

/** The objects whose field refers to this one, as far as the reader may read them. */
function inverse(field: Field, { resources, dialect, readable }: Compiling): string | null {
  const from = field.inverse && resources.get(field.inverse.type);
  const [column] = from?.fields.get(field.inverse?.field ?? '')?.columns ?? [];
  if (!from || column === undefined || !readable) return null;
  return dialect.jsonList(
    `select e.document_id as id from ${from.table} e
     where e.${column} = o.id and ${readable(from, 'e').text}
     order by e.created_at desc, e.id desc limit ${MAX_DERIVED}`,
  );
}

/** The value of a field as SQL, the object's row being `o`. */
function valueOf(field: Field, compiling: Compiling): string {
  const [column] = field.columns;
  // JSON has no default in the database: a row that is older than the column reads as empty.
  const empty = field.empty === null ? 'null' : `'${JSON.stringify(field.empty)}'`;
  const type = JSON_TYPES[field.kind];
  const target = field.to === null ? undefined : compiling.resources.get(field.to);
  if (field.inverse) return inverse(field, compiling) ?? empty;
  if (field.link && target) return compiling.dialect.jsonList(linked(target, field.link));
  if (column === undefined) return type === 'json' ? empty : 'null';
  if (target && field.kind === 'reference') return referenced(target, column);
  return type === 'json' && empty !== 'null' ? `coalesce(o.${column}, ${empty})` : `o.${column}`;
}

function compile(resource: Resource, audiences: readonly Audience[], compiling: Compiling): string {
  const fields = [...resource.fields.values()].filter((field) => !field.input);
  const members = (audience: Audience): JsonMember[] =>
    fields
      .filter((field) => field.seen === audience)
      .map((field) => ({
        name: field.name,
        sql: valueOf(field, compiling),
        type: JSON_TYPES[field.kind],
      }));
  const { ownedBy, approved } = resource;
  const columns = [
    'o.id',
    'o.version',
    ownedBy ? valueOf(ownedBy, compiling) : 'null',
    approved ? `case o.${approved.column} when '${approved.value}' then 1 else 0 end` : '1',
    ...audiences.map((audience) => compiling.dialect.jsonObject(members(audience))),
  ];
  return `select ${columns.join(', ')} from ${resource.table} o where o.document_id = ?`;
}

const audiencesOf = ({ fields }: Resource): Audience[] =>
  AUDIENCES.filter((audience) =>
    [...fields.values()].some((field) => field.seen === audience && !field.input),
  );

/** Compiles the select by which a type is read. */
export function compileSelect(
  resource: Resource,
  resources: Resources,
  dialect: Dialect,
  readable: NonNullable<Compiling['readable']>,
): ObjectSelect {
  const audiences = audiencesOf(resource).filter((audience) => audience !== 'nobody');
  const text = compile(resource, audiences, { resources, dialect, readable });
  // All parameters but the last are the caller's ID.
  const own = text.split('?').length - 2;
  return {
    text,
    audiences,
    values: (id, callerId) => [...Array<SqlValue>(own).fill(callerId ?? ''), id],
  };
}

/** The select by which the writer gets an object, whole, and keeps others from changing it. */
export const compileLoad = (resource: Resource, resources: Resources, dialect: Dialect): string =>
  compile(resource, audiencesOf(resource), { resources, dialect, readable: null }) +
  dialect.forUpdate('o');

/** One JSON object out of the members of several, all of them texts. */
export function joinObjects(texts: readonly string[]): string {
  const members = texts.map((text) => text.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}`;
}
