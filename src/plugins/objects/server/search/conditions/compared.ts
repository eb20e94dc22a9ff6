/** Comparisons of attributes as SQL: where an index does not find what meets a comparison, one may narrow it. */
import { parseWritten } from '../../../../../core/time';
import { wordsOf } from '../../../../../core/words';
import type { Dialect } from '../../database/database';
import { NEVER, sql, type Sql } from '../../database/sql';
import type { Field, Resource } from '../../declare/completed';
import { compared, INDEXABLE, otherChoices } from './operators';
import { ruleOf } from './fields';
import { MAX_WORDS } from '../language/limits';
import type { Operator } from '../language/tree';
import type { Predicate } from './predicate';
import { allOf, type Term } from './source';
import { within } from './times';
import { sortedText, sortKeyOf, textFields } from '../projection/texts';
import { isSpan, traitsOf } from '../../kinds/traits';

/** The rows that are compared: those of the list, or what they refer to. */
export interface ComparedRows {
  readonly resource: Resource;
  /** Whether they are those of the list. */
  readonly isListed: boolean;
  /** The disjunction of conditions each of which has an index. */
  readonly either: (conditions: readonly Sql[]) => Sql;
  /** Whether a column is the first one of an index. */
  isIndexed(column: Sql): boolean;
  readonly id: Sql;
  readonly documentId: Sql;
  /** A column of the type's own table. */
  column(name: string): Sql;
  term(field: Field): Term;
  /** The condition that a row has these words among those that everybody sees; null where that is not known. */
  words(words: readonly (readonly string[])[]): Sql | null;
  sortKey(key: string): Sql | null;
}

/** Compares a field, whose columns are these. */
export function onColumn(
  dialect: Dialect,
  rows: ComparedRows,
  field: Field,
  columns: readonly Sql[],
  operator: Operator,
  values: readonly string[],
): Predicate {
  const [column = NEVER] = columns;
  const literally = compared(dialect, field.kind, column, operator, values);
  if (isSpan(field)) return onTime(rows, columns, literally, operator, values);
  const isIndexed = rows.isIndexed(column);
  if (isIndexed && INDEXABLE.has(operator)) return { sql: literally, isIndexed };
  if (isIndexed && traitsOf(field).isChoice && (operator === 'ne' || operator === 'notIn'))
    return { sql: otherChoices(column, field, values), isIndexed };
  const near = nearby(rows, field, operator, values);
  return near
    ? { sql: allOf([near, literally]), isIndexed: true }
    : { sql: literally, isIndexed: false };
}

/** Operators that the words of a value, or its key, narrow. */
const NARROWED: ReadonlySet<Operator> = new Set([
  ...(['eq', 'eqi', 'in', 'contains', 'containsi', 'startsWith', 'startsWithi'] as const),
]);
const WHOLE: ReadonlySet<Operator> = new Set(['eq', 'eqi', 'in']);

/** A condition by an index, which whatever meets the comparison meets too; null where there is none. */
function nearby(
  rows: ComparedRows,
  field: Field,
  operator: Operator,
  values: readonly string[],
): Sql | null {
  if (!NARROWED.has(operator) || values.length === 0) return null;
  const { resource } = rows;
  const rule = ruleOf(resource, field);
  const isWhole = WHOLE.has(operator);
  const each = values.map((value): Sql | null => {
    if (isWhole && rule) {
      const key = rule.key({ [field.name]: value });
      return key === null ? null : sql`${rows.column(rule.column)} = ${key}`;
    }
    if (isWhole && sortedText(resource) === field) return rows.sortKey(sortKeyOf(value) ?? '');
    const words = wordsOf(value).slice(0, MAX_WORDS);
    return textFields(resource).includes(field) && words.length > 0 ? rows.words(words) : null;
  });
  return each.includes(null) ? null : rows.either(each.flatMap((one) => one ?? []));
}

/** A local time may be of another day in UTC. */
const DAY = 86_400_000;

/** A time is compared by what it means, and by its text where that is asked for. */
function onTime(
  rows: ComparedRows,
  [, start = NEVER, end = NEVER]: readonly Sql[],
  literally: Sql,
  operator: Operator,
  values: readonly string[],
): Predicate {
  const isIndexed = rows.isIndexed(start);
  const spans = values.map((value) => parseWritten(value)?.local ?? null);
  const [first, second] = spans;
  if (operator === 'null') return { sql: sql`${start} is null`, isIndexed };
  if (operator === 'ne' || operator.startsWith('not') || operator === 'nei')
    return { sql: literally, isIndexed: false };
  const from = (at: number): Sql => sql`${start} >= ${at}`;
  const until = (at: number): Sql => sql`${start} <= ${at}`;
  const meant: Partial<Record<Operator, () => Sql>> = {
    gt: () => (first ? from(first.end + 1) : NEVER),
    gte: () => (first ? from(first.start) : NEVER),
    lt: () => (first ? until(first.start - 1) : NEVER),
    lte: () => (first ? until(first.end) : NEVER),
    between: () => (first && second ? allOf([from(first.start), until(second.end)]) : NEVER),
  };
  const meaning = meant[operator];
  if (meaning) return { sql: meaning(), isIndexed };
  if (spans.includes(null)) return { sql: literally, isIndexed: false };
  // What begins with a time, or contains one, reaches into it.
  const near = spans.flatMap((span) =>
    span ? within(rows.either, start, end, span.start - DAY, span.end + DAY) : [],
  );
  return { sql: allOf([rows.either(near), literally]), isIndexed };
}
