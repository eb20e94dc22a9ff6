/** What a caller sees exactly who does not see all objects so: by whose means it does, and which rows these are. */
import type { Dialect } from '../database/database';
import { columnIn, join, literal, raw, slot, sql, type Sql } from '../database/sql';
import type { Resource, Resources } from '../declare/completed';
import { scopeFor } from '../define/holders';
import { agreedWith, isHeld, type TypeAccess } from './access';
import { CALLER_ROW } from './caller-args';

/** Holders of a relation by whose means a caller sees objects exactly (`views.exact`). */
export interface Held {
  readonly holder: 'user' | 'org' | 'object';
  /** The field that refers to them; null of the objects themselves. */
  readonly field: string | null;
  /** A `select` of the IDs of their rows, as `id`. The slots are those of the caller. */
  readonly ids: Sql;
}

/** None of a caller who sees everything exactly, or nothing by itself. */
export function heldBy(
  { relations, table }: Resource,
  access: TypeAccess,
  resources: Resources,
  dialect: Dialect,
): readonly Held[] {
  const exact = access.exact();
  if (exact === 'all') return [];
  const held: Held[] = [];
  const scope = scopeFor({
    user: (field) =>
      held.push({
        holder: 'user',
        field,
        ids: sql`select cast(${slot(CALLER_ROW)} as integer) as id`,
      }),
    collaborators(field, levels) {
      for (const users of agreedWith(resources, levels))
        held.push({ holder: 'user', field, ids: users('id') });
    },
    members: (field, roles) =>
      held.push({
        holder: 'org',
        field,
        ids: sql`select m.org as id from oms_memberships m
          where m.account = ${slot(CALLER_ROW)} and m.role in (${join(roles.map(literal))})`,
      }),
    claim: () =>
      held.push({
        holder: 'object',
        field: null,
        ids: sql`select t.id from oms_claims c join ${raw(table)} t on t.document_id = c.object
          where ${isHeld('access', dialect)}`,
      }),
  });
  for (const name of exact) relations.get(name)?.(scope);
  return held;
}

/**
 * A `select` of the rows that a caller sees exactly, as `id`: of those that strangers see as they are, only some; null for a
 * caller who sees everything exactly, or nothing by itself.
 *
 * @param inside the condition that a row `s` of the table that is made for searches is for insiders alone
 */
export function exactRows(
  resource: Resource,
  access: TypeAccess,
  resources: Resources,
  dialect: Dialect,
  inside: Sql,
): Sql | null {
  const held = heldBy(resource, access, resources, dialect);
  const fields = new Set(held.map(({ field }) => field));
  const rows = [...fields].map((field) => {
    const ids = join(
      held.filter((one) => one.field === field).map((one) => one.ids),
      ' union ',
    );
    return field === null ? ids : rowsThatHave(resource, field, ids, inside, dialect);
  });
  return rows.length === 0 ? null : join(rows, ' union ');
}

/** The rows one of whose holders, by a field, is among these. */
function rowsThatHave(
  { searched, table, fields }: Resource,
  name: string,
  ids: Sql,
  inside: Sql,
  dialect: Dialect,
): Sql {
  const { link, columns } = fields.get(name) ?? {};
  if (link)
    return sql`select ${columnIn('l', link.source)} as id from ${raw(`${link.table} l`)}
      where ${columnIn('l', link.target)} ${dialect.among(ids)}`;
  const [column = 'null'] = columns ?? [];
  return searched?.fields.includes(name) === true
    ? sql`select s.id from ${raw(`${searched.name} s`)}
        where ${inside} and ${columnIn('s', column)} ${dialect.among(ids)}`
    : sql`select t.id from ${raw(`${table} t`)} where ${columnIn('t', column)} ${dialect.among(ids)}`;
}
