/** The conditions that a value is at least, or at most, of a bound. */
import type { TimeSpan, WrittenSpan } from '../../../../../core/time';
import { NEVER, raw, sql, type Sql } from '../../database/sql';
import { MAX_INTEGER } from '../../kinds/integer';
import { traitsOf } from '../../kinds/traits';
import type { Subject } from '../language/filters';
import type { Source, Term } from './source';
import { beyond, timeColumns } from './times';

export function withinBound(
  { dialect }: Source,
  subject: Subject,
  term: Term,
  side: 'min' | 'max',
  bound: number | TimeSpan | WrittenSpan,
): Sql {
  const { moment, number } = traitsOf(
    subject.kind === 'field' ? subject.field : { kind: 'number' },
  );
  const [column = raw('null')] = term.columns;
  const operator = raw(side === 'min' ? '>=' : '<=');
  if (typeof bound === 'number')
    return number === 'whole'
      ? ofInteger(column, side, bound)
      : sql`${column} ${operator} ${bound}`;
  if (moment === 'span' && 'local' in bound) return beyond(timeColumns(term), side, bound, dialect);
  const { start, end } = 'local' in bound ? bound.local : bound;
  const value = side === 'min' ? start : end;
  if (moment === 'instant') return sql`${column} ${operator} ${dialect.instant(value)}`;
  // A day of a custom field: its text is in the order of time.
  return sql`${column} ${operator} ${new Date(value).toISOString().slice(0, 10)}`;
}

/** PostgreSQL compares an integer by its index with integers alone, and takes no larger ones. */
function ofInteger(column: Sql, side: 'min' | 'max', bound: number): Sql {
  const [least, most] = [Math.ceil(bound), Math.floor(bound)];
  if (side === 'min')
    return least > MAX_INTEGER ? NEVER : sql`${column} >= ${Math.max(least, -MAX_INTEGER)}`;
  return most < -MAX_INTEGER ? NEVER : sql`${column} <= ${Math.min(most, MAX_INTEGER)}`;
}
