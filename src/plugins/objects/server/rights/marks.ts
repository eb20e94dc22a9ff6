/**
 * The marks of words. Where strangers see an object in another view than the exact one, its words are kept for searches with
 * a mark in front, once for each holder of a relation by whose means a caller sees it exactly (`views.exact`); and once for
 * those who see everything so. Whoever searches looks for a word as it is, and with its own marks in front: an index of words
 * reads nothing then of what is hidden from it, and takes no longer where there is more of it.
 */
import type { Dialect } from '../database/database';
import { join, literal, raw, sql, type Sql } from '../database/sql';
import type { Resource, Resources } from '../declare/completed';
import type { TypeAccess } from './access';
import { heldBy, type Held } from './held';

/** Whose words they are: a user's, an org's, or of the object itself, for who carries its claim. */
type Holder = Held['holder'];

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
  resource: Resource,
  access: TypeAccess,
  resources: Resources,
  dialect: Dialect,
): Sql | null {
  const rows = heldBy(resource, access, resources, dialect).map(
    ({ holder, ids }) => sql`select ${markSql(holder, raw('h.id'))} as mark from (${ids}) h`,
  );
  return rows.length === 0 ? null : join(rows, ' union ');
}
