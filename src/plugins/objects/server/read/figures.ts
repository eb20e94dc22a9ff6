/**
 * Figures, which exist twice: of everything, for moderators and administrators, and of what anybody may know, for
 * everybody else, the owner included.
 */
import type { Role } from '../../../../core/caller';
import { NEVER, raw, sql, type Sql } from '../database/sql';
import type { Field } from '../define/completed';
import { isPrivileged } from '../rights/row';

/**
 * Whether a public figure must not be told at present, because what it is made of has not
 * been generalized yet.
 */
export const isWithheld = ({ kind }: Field): Sql =>
  kind === 'time' ? sql`exists (select 1 from oms_privacy_jobs)` : NEVER;

/** The column of a field's value for callers of a role; null where nothing is stored. */
export const columnFor = ({ columns, figure }: Field, role: Role): string | null =>
  (figure && !isPrivileged(role) ? figure.columns : columns)[0] ?? null;

/** The value of a figure as SQL; the alias of the row is `o`. */
export function figureFor(field: Field, role: Role): Sql {
  const value = raw(`o.${columnFor(field, role)}`);
  const withheld = isPrivileged(role) ? NEVER : isWithheld(field);
  return withheld === NEVER ? value : sql`case when ${withheld} then null else ${value} end`;
}
