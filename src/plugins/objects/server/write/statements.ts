/** The SQL that changes an object's row, compiled once per type, and how its values become columns. */
import type { Dialect } from '../database/database';
import type { SqlValue } from '../database/work';
import type { Kind } from '../define/declaration';
import type { Field, Resource, Resources, Unique } from '../define/resource';
import { parseTime } from '../domain/time';
import type { Body } from '../types';

/** The statements that write one type. One text each, whatever changes: they are kept prepared. */
export interface WriteStatements {
  readonly insert: string;
  readonly update: string;
  readonly remove: string;
  /** An object's own values, as `insert` and `update` take them. */
  readonly encode: (object: Body, dialect: Dialect) => SqlValue[];
}

type Encoder = (value: unknown, dialect: Dialect) => SqlValue[];

const plain: Encoder = (value) => [(value ?? null) as SqlValue];
const json: Encoder = (value) => [
  value === null || value === undefined ? null : JSON.stringify(value),
];

const ENCODERS: Record<Kind, Encoder> = {
  id: plain,
  text: plain,
  uuid: plain,
  email: plain,
  url: plain,
  country: plain,
  language: plain,
  choice: plain,
  number: plain,
  integer: plain,
  boolean: (value, dialect) => [typeof value === 'boolean' ? dialect.boolean(value) : null],
  time: (value) => {
    const span = typeof value === 'string' ? parseTime(value) : null;
    return [(value ?? null) as SqlValue, span?.start ?? null, span?.end ?? null];
  },
  instant: plain,
  localized: json,
  texts: json,
  measurements: json,
  customFields: json,
  region: plain,
  reference: plain,
  references: () => [],
  path: plain,
  secret: plain,
};

/** What the writer sets by itself: identity, version and times. */
const OF_THE_WRITER = new Set(['id', 'version', 'created_at', 'updated_at']);

const storedFields = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(
    ({ name, columns }) => columns.length > 0 && !OF_THE_WRITER.has(name),
  );

/** Unique rules whose key has a column of its own. */
function keyed({ fields, unique }: Resource): Unique[] {
  const own = new Set([...fields.values()].flatMap((field) => field.columns));
  return unique.filter((rule) => !own.has(rule.column));
}

/** The columns of an object's own values, each with the SQL that its value goes into. */
function assignments(resource: Resource, resources: Resources): [column: string, sql: string][] {
  return [
    ...storedFields(resource).flatMap(({ columns, to }) => {
      const target = to === null ? undefined : resources.get(to);
      const sql = target ? `(select id from ${target.table} where document_id = ?)` : '?';
      return columns.map((column): [string, string] => [column, sql]);
    }),
    ...keyed(resource).map((rule): [string, string] => [rule.column, '?']),
  ];
}

/** The row is asked for only where something else is written for it. */
const returning = ({ fields, follow }: Resource): string =>
  follow || [...fields.values()].some(({ link }) => link !== null) ? ' returning id' : '';

/** Compiles the statements of a type. */
export function compileWrites(resource: Resource, resources: Resources): WriteStatements {
  const { table } = resource;
  const values = assignments(resource, resources);
  const [fields, keys] = [storedFields(resource), keyed(resource)];
  // Strapi sets published_at of what is never a draft.
  const fixed = ['document_id', 'version', 'created_at', 'updated_at', 'published_at'];
  const columns = [...fixed, ...values.map(([column]) => column)];
  const inserted = [...fixed.map(() => '?'), ...values.map(([, sql]) => sql)];
  const sets = values.map(([column, sql]) => `${column} = ${sql}`);
  return {
    insert: `insert into ${table} (${columns.join(', ')}) values (${inserted.join(', ')})${returning(resource)}`,
    update: `update ${table} set version = version + 1, updated_at = ?, ${sets.join(', ')} where id = ?`,
    remove: `delete from ${table} where id = ?`,
    encode(object, dialect) {
      const encoded: SqlValue[] = [];
      for (const { kind, name } of fields) encoded.push(...ENCODERS[kind](object[name], dialect));
      for (const rule of keys) encoded.push(rule.key(object));
      return encoded;
    },
  };
}

/** The values of `insert`. */
export function insertValues(
  writes: WriteStatements,
  id: string,
  object: Body,
  now: number,
  dialect: Dialect,
): SqlValue[] {
  const at = dialect.instant(now);
  return [id, 1, at, at, at, ...writes.encode(object, dialect)];
}

/** The values of `update`. */
export const updateValues = (
  writes: WriteStatements,
  rowId: SqlValue,
  object: Body,
  now: number,
  dialect: Dialect,
): SqlValue[] => [dialect.instant(now), ...writes.encode(object, dialect), rowId];
