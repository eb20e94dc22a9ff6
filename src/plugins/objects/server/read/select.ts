/** The SQL that gives an object: compiled once per type. */
import type { Dialect, JsonMember, JsonType } from '../database/database';
import type { Audience, Kind } from '../define/declaration';
import { AUDIENCES } from '../define/declaration';
import type { Field, Resource, Resources } from '../define/resource';

/** One select that gives a row ID, the version, the owner, and one JSON object per audience. */
export interface ObjectSelect {
  readonly text: string;
  /** The same, with the row kept from others until the transaction ends. */
  readonly locked: string;
  /** The audiences, in the order of the JSON columns. */
  readonly audiences: readonly Audience[];
}

/** The columns that come before the JSON objects. */
export const LEADING_COLUMNS = 3;

const JSON_TYPES: Record<Kind, JsonType> = {
  id: 'plain',
  text: 'plain',
  uuid: 'plain',
  email: 'plain',
  url: 'plain',
  country: 'plain',
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
};

/** SQL of the ID that a foreign key stands for. */
const referenced = (target: Resource, column: string): string =>
  `(select t.document_id from ${target.table} t where t.id = o.${column})`;

/** The value of a field as SQL, the object's row being `o`. */
function valueOf(field: Field, resources: Resources): string {
  const [column] = field.columns;
  // JSON has no default in the database: a row that is older than the column reads as empty.
  const empty = field.empty === null ? 'null' : `'${JSON.stringify(field.empty)}'`;
  const type = JSON_TYPES[field.kind];
  if (column === undefined) return type === 'json' ? empty : 'null';
  const target = field.to === null ? undefined : resources.get(field.to);
  if (target) return referenced(target, column);
  return type === 'json' && empty !== 'null' ? `coalesce(o.${column}, ${empty})` : `o.${column}`;
}

/** Compiles the select of a type. */
export function compileSelect(
  resource: Resource,
  resources: Resources,
  dialect: Dialect,
): ObjectSelect {
  const fields = [...resource.fields.values()];
  const audiences = AUDIENCES.filter((audience) => fields.some((field) => field.seen === audience));
  const members = (audience: Audience): JsonMember[] =>
    fields
      .filter((field) => field.seen === audience)
      .map((field) => ({
        name: field.name,
        sql: valueOf(field, resources),
        type: JSON_TYPES[field.kind],
      }));
  const owner = resource.fields.get('owner');
  const columns = [
    'o.id',
    'o.version',
    owner ? valueOf(owner, resources) : 'null',
    ...audiences.map((audience) => dialect.jsonObject(members(audience))),
  ];
  const text = `select ${columns.join(', ')} from ${resource.table} o where o.document_id = ?`;
  return { text, locked: text + dialect.forUpdate('o'), audiences };
}

/** One JSON object out of the members of several, all of them texts. */
export function joinObjects(texts: readonly string[]): string {
  const members = texts.map((text) => text.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}`;
}
