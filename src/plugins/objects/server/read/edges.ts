/** Relationships as they are read: the edges of a row from both of their ends. */
import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../database/database';
import { join, literal, raw, sql, type Sql } from '../database/sql';
import type { Field, Resources } from '../declare/completed';
import type { TypeAccess } from '../rights/access';
import type { Relationship } from '../kinds/relationships';

interface Reading {
  readonly resources: Resources;
  readonly dialect: Dialect;
  /** What the caller may do with a type; null for the writer. */
  readonly access: ((type: string) => TypeAccess | undefined) | null;
}

/** A list of relationships, as JSON text, of the row with the alias `o`. */
export function edgeList(
  { edges, to }: Pick<Field, 'edges' | 'to'>,
  { resources, dialect, access }: Reading,
): Sql {
  const target = to === null ? undefined : resources.get(to);
  if (!edges || !target) return raw("'[]'");
  const { table, inverses } = edges;
  const cases = Object.entries(inverses).map(
    ([type, inverse]) => sql`when ${literal(type)} then ${literal(inverse)}`,
  );
  const inverse = sql`case r.type ${join(cases, ' ')} else r.type end`;
  const theirs = access?.(target.type);
  const readable = theirs ? sql`and ${theirs.condition(theirs.extent('read'), 't')}` : raw('');
  const side = (own: string, other: string, type: Sql): Sql =>
    sql`select t.document_id as individual, ${type} as type
      from ${raw(`${table} r join ${target.table} t on t.id = r.${other} where r.${own} = o.id`)}
      ${readable}`;
  // Without duplicates: who is mother and father of one would be its parent twice.
  return dialect.jsonRecords(
    sql`${side('source', 'target', raw('r.type'))} union ${side('target', 'source', inverse)}
      order by type, individual`,
    ['individual', 'type'],
  );
}

/** In the order of reading, each once. */
export function sorted(list: readonly Relationship[]): readonly Relationship[] {
  const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);
  return list
    .map(({ individual, type }) => ({ individual, type }))
    .filter((one, at, all) => all.findIndex((other) => isDeepStrictEqual(one, other)) === at)
    .sort((a, b) => compare(a.type, b.type) || compare(a.individual, b.individual));
}
