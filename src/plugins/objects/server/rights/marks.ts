/**
 * The marks of words. Where strangers see an object in another view than the exact one, its words are kept for searches with
 * a mark in front, once for each holder of a relation by whose means a caller sees it exactly (`views.exact`); and once for
 * those who see everything so. Whoever searches looks for a word as it is, and with its own marks in front: an index of words
 * reads nothing then of what is hidden from it, and takes no longer where there is more of it.
 */
import type { Dialect } from '../database/database';
import { join, literal, raw, slot, sql, type Sql } from '../database/sql';
import type { Resource, Resources } from '../declare/completed';
import { scopeFor } from '../define/holders';
import { agreedWith, CALLER_ROW, isHeld, type TypeAccess } from './access';

/** Whose words they are: a user's, an org's, or of the object itself, for who carries its claim. */
type Holder = 'user' | 'org' | 'object';

const SIGNS: Record<Holder, string> = { user: 'u', org: 'g', object: 'r' };

/** Around a mark, which has no symbol of ASCII: SQLite takes these for separators. Folding leaves none. */
const AROUND = '\uE002';

/** The mark for those who see all objects exactly. */
export const EVERYTHING = `${AROUND}a${AROUND}`;

/** Stands for a mark, where a query is made for each of many. */
export const ANY_MARK = '\uE003';

/** @param row the ID of its row */
export const markOf = (holder: Holder, row: number | string): string =>
  `${AROUND}${SIGNS[holder]}${row}${AROUND}`;

const markSql = (holder: Holder, row: Sql): Sql =>
  sql`${literal(AROUND + SIGNS[holder])} || cast(${row} as text) || ${literal(AROUND)}`;

/** The mark of a token, empty without one, and the rest. */
export function splitMark(token: string): readonly [mark: string, rest: string] {
  const end = token.startsWith(AROUND) ? token.indexOf(AROUND, 1) + 1 : 0;
  return [token.slice(0, end), token.slice(end)];
}

/**
 * A `select` of the marks of a caller who does not see everything exactly, as `mark`; null for one who sees nothing so by
 * itself. The slots are those of the caller.
 */
export function marksFor(
  { relations, table }: Resource,
  access: TypeAccess,
  resources: Resources,
  dialect: Dialect,
): Sql | null {
  const exact = access.exact();
  if (exact === 'all') return null;
  const rows: Sql[] = [];
  const caller = sql`cast(${slot(CALLER_ROW)} as integer)`;
  const scope = scopeFor({
    user: () => rows.push(sql`select ${markSql('user', caller)} as mark`),
    collaborators(_, levels) {
      for (const users of agreedWith(resources, levels))
        rows.push(
          sql`select ${markSql('user', raw('a.account'))} as mark from (${users('account')}) a`,
        );
    },
    members: (_, roles) =>
      rows.push(sql`select ${markSql('org', raw('m.org'))} as mark from oms_memberships m
        where m.account = ${slot(CALLER_ROW)} and m.role in (${join(roles.map(literal))})`),
    claim: () =>
      rows.push(sql`select ${markSql('object', raw('t.id'))} as mark
        from oms_claims c join ${raw(table)} t on t.document_id = c.object
        where ${isHeld('access', dialect)}`),
  });
  for (const name of exact) relations.get(name)?.(scope);
  return rows.length === 0 ? null : join(rows, ' union ');
}
