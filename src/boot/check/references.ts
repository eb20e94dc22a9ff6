/** References to what is not there: in columns, in the tables of lists, and in our own tables. */
import type { Dialect } from '../../plugins/objects/server/database/database';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { isFilePath, isReference } from '../../plugins/objects/server/kinds/traits';
import type { Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { DatabaseBeside } from '../beside';
import type { FaultFound, Probe } from './probe';
import { slicesOf } from './reading';

/** A table of rows that are of objects, by their row IDs. */
interface LinkTable {
  readonly table: string;
  /** By which its rows are read and found. */
  readonly key: string;
  /** What it is the list of. */
  readonly about: string;
  /** Its columns, with the types that they refer to. */
  readonly ends: readonly (readonly [column: string, type: string])[];
}

/** Our own tables without a foreign key. */
const OWN: readonly LinkTable[] = [
  {
    table: 'oms_memberships',
    key: 'id',
    about: 'org.members',
    ends: [
      ['org', 'org'],
      ['account', 'user'],
    ],
  },
  {
    table: 'oms_individual_names',
    key: 'object',
    about: 'individual.names',
    ends: [['object', 'individual']],
  },
  {
    table: 'oms_relationships',
    key: 'source',
    about: 'individual.relationships',
    ends: [
      ['source', 'individual'],
      ['target', 'individual'],
    ],
  },
];

/** Removes rows. */
export type Remove = (statement: Sql) => Promise<void>;

interface Parts {
  readonly resources: Resources;
  readonly beside: DatabaseBeside;
  readonly dialect: Dialect;
}

export function referenceProbes(parts: Parts, remove: Remove | null): Probe[] {
  const { resources } = parts;
  const columns = [...resources.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) =>
      field.to !== null && field.columns.length > 0 && (isReference(field) || isFilePath(field))
        ? columnProbe(parts, resource, field.name, field.columns[0] ?? '', field.to)
        : [],
    ),
  );
  return [...columns, ...linkTables(resources).map((table) => linkProbe(parts, table, remove))];
}

function linkTables(resources: Resources): LinkTable[] {
  const lists = [...resources.values()].flatMap(({ type, fields }) =>
    [...fields.values()].flatMap(({ name, link, to }): LinkTable[] =>
      link && to !== null
        ? [
            {
              table: link.table,
              key: 'id',
              about: `${type}.${name}`,
              ends: [
                [link.source, type],
                [link.target, to],
              ],
            },
          ]
        : [],
    ),
  );
  // A list of two types is one table.
  const tables = new Map([...lists, ...OWN].map((one) => [one.table, one]));
  return [...tables.values()];
}

const isMissing = (resources: Resources, type: string, column: Sql): Sql =>
  sql`(${column} is not null and not exists (select 1 from ${raw(resources.get(type)?.table ?? '')} x where x.id = ${column}))`;

function columnProbe(
  { resources, beside, dialect }: Parts,
  { type, table }: Resource,
  field: string,
  column: string,
  to: string,
): Probe {
  const dangling = isMissing(resources, to, raw(`o.${column}`));
  const find = async (condition: Sql): Promise<FaultFound[]> => {
    const rows = await beside.read(
      sql`select o.id, o.document_id from ${raw(`${table} o`)} where ${condition} and ${dangling} order by o.id`,
    );
    return rows.map(([key = null, id]) => ({ key, name: `${type} ${String(id)} (${field})` }));
  };
  return {
    kind: 'references',
    async *find() {
      for await (const part of slicesOf(beside, table, 'id', 'o')) yield await find(part);
    },
    again: (found) =>
      find(
        sql`o.id ${amongRows(
          found.map(({ key }) => key),
          dialect,
        )}`,
      ),
  };
}

function linkProbe(
  { resources, beside, dialect }: Parts,
  { table, key, about, ends }: LinkTable,
  remove: Remove | null,
): Probe {
  const missing = (alias: string): Sql =>
    join(
      ends.map(([column, type]) => isMissing(resources, type, raw(`${alias}.${column}`))),
      ' or ',
    );
  const among = (found: readonly FaultFound[], alias: string): Sql =>
    sql`${raw(`${alias}.${key}`)} ${amongRows([...new Set(found.map((one) => one.key))], dialect)}`;
  const find = async (condition: Sql): Promise<FaultFound[]> => {
    const rows = await beside.read(
      sql`select ${raw(`l.${key}`)} from ${raw(`${table} l`)} where ${condition} and (${missing('l')})`,
    );
    return rows.map(([id = null]) => ({ key: id, name: `${about} (${table} ${String(id)})` }));
  };
  return {
    kind: 'links',
    async *find() {
      for await (const part of slicesOf(beside, table, key, 'l')) yield await find(part);
    },
    again: (found) => find(among(found, 'l')),
    ...(remove
      ? {
          repair: (found: readonly FaultFound[]) =>
            remove(
              sql`delete from ${raw(table)} where ${among(found, table)} and (${missing(table)})`,
            ),
        }
      : {}),
  };
}
