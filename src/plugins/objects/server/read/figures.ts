/**
 * Figures, which exist more than once: of everything, for moderators and administrators; of what anybody may know, by which
 * everybody else filters and sorts; and a wider one, which is read by some of these.
 */
import type { Role } from '../../../../core/caller';
import { ALWAYS, NEVER, raw, sql, type Sql } from '../database/sql';
import type { Field } from '../declare/completed';
import type { TypeAccess } from '../rights/access';
import { isPrivileged } from '../declare/row';

/** The columns of a field's value for callers of a role; none where nothing is stored. */
export const columnsFor = ({ columns, figure }: Field, role: Role): readonly string[] =>
  figure && !isPrivileged(role) ? figure.columns : columns;

/**
 * The value of a figure as SQL; the alias of the row is `o`.
 *
 * @param own what the callers may do with the object; without it they read the public value
 */
export function figureFor(
  field: Field,
  { role, own }: { readonly role: Role; readonly own?: TypeAccess },
): Sql {
  const [column = 'null'] = columnsFor(field, role);
  const value = raw(`o.${column}`);
  if (isPrivileged(role)) return value;
  const wider = field.figure?.wider;
  const isWider = own && wider ? own.condition(own.wider(field), 'o') : NEVER;
  const told =
    isWider === NEVER || !wider
      ? value
      : sql`case when ${isWider} then ${raw(`o.${wider.column}`)} else ${value} end`;
  return sql`case when ${field.figure?.isWithheld ?? ALWAYS} then null else ${told} end`;
}
