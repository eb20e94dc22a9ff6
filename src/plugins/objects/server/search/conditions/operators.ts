/** Compares a column with the values of a list's filter. */
import { MAX_INTEGER } from '../../kinds/integer';
import type { Dialect } from '../../database/database';
import { anyOf, join, literal, raw, sql, type Sql, type SqlValue } from '../../database/sql';
import { amongRows } from '../../database/row-ids';
import type { Field } from '../../declare/completed';
import type { Operator } from '../language/tree';
import { traitsOf } from '../../kinds/traits';

type Kind = Field['kind'] | 'row';

/** Operators for which an index of the column serves. */
export const INDEXABLE: ReadonlySet<Operator> = new Set([
  ...(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'between', 'null'] as const),
]);

/** Those that few rows fail, if they compare IDs. */
export const DENSE: ReadonlySet<Operator> = new Set(['ne', 'notIn', 'notNull'] as const);

const ORDERS = { lt: raw('<'), lte: raw('<='), gt: raw('>'), gte: raw('>=') } as const;

/** The condition that a column compares so. A column without a value meets `null` alone, as everywhere in SQL. */
export function compared(
  dialect: Dialect,
  kind: Kind,
  column: Sql,
  operator: Operator,
  texts: readonly string[],
): Sql {
  const values = texts.map((text) => valueOf(dialect, kind, text));
  const [first = null, second = null] = values;
  if (isOfText(operator))
    return TEXT_CONDITIONS[operator](
      sql`cast(${column} as text)`,
      sql`cast(${texts[0] ?? ''} as text)`,
    );
  switch (operator) {
    case 'null':
      return sql`${column} is null`;
    case 'notNull':
      return sql`${column} is not null`;
    case 'eq':
      return sql`${column} = ${first}`;
    case 'ne':
      return sql`${column} <> ${first}`;
    case 'in':
      if (kind === 'row') return sql`${column} ${amongRows(values, dialect)}`;
      return anyOf(values.map((value) => sql`${column} = ${value}`));
    case 'notIn':
      if (kind === 'row') return sql`not (${column} ${amongRows(values, dialect)})`;
      return values.length === 0
        ? sql`${column} is not null`
        : sql`(${join(
            values.map((value) => sql`${column} <> ${value}`),
            ' and ',
          )})`;
    case 'between':
      return sql`(${column} >= ${first} and ${column} <= ${second})`;
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return sql`${column} ${ORDERS[operator]} ${first}`;
  }
}

type OfText = Exclude<
  Operator,
  'null' | 'notNull' | 'eq' | 'ne' | 'in' | 'notIn' | 'between' | keyof typeof ORDERS
>;

const TEXT_CONDITIONS: Readonly<Record<OfText, (column: Sql, text: Sql) => Sql>> = {
  eqi: (column, text) => sql`lower(${column}) = lower(${text})`,
  nei: (column, text) => sql`lower(${column}) <> lower(${text})`,
  contains: (column, text) => contains(column, text),
  containsi: (column, text) => contains(sql`lower(${column})`, sql`lower(${text})`),
  notContains: (column, text) => sql`replace(${column}, ${text}, '') = ${column}`,
  notContainsi: (column, text) =>
    sql`replace(lower(${column}), lower(${text}), '') = lower(${column})`,
  startsWith: (column, text) => starts(column, text),
  startsWithi: (column, text) => starts(sql`lower(${column})`, sql`lower(${text})`),
  endsWith: (column, text) => ends(column, text),
  endsWithi: (column, text) => ends(sql`lower(${column})`, sql`lower(${text})`),
};

/** In functions that both databases have; there are no patterns, whose special characters would have to be escaped. */
const contains = (column: Sql, text: Sql): Sql => sql`replace(${column}, ${text}, '') <> ${column}`;
const starts = (column: Sql, text: Sql): Sql =>
  sql`substr(${column}, 1, length(${text})) = ${text}`;
const ends = (column: Sql, text: Sql): Sql =>
  sql`(length(${column}) >= length(${text})
    and substr(${column}, length(${column}) - length(${text}) + 1) = ${text})`;

const isOfText = (operator: Operator): operator is OfText => operator in TEXT_CONDITIONS;

/** The ID of a row. */
const ROW: ReturnType<typeof traitsOf> = { number: 'whole' };

function valueOf(dialect: Dialect, kind: Kind, text: string): SqlValue {
  const { moment, isTruth, number } = kind === 'row' ? ROW : traitsOf({ kind });
  if (moment === 'instant') return dialect.instant(Date.parse(text));
  if (isTruth) return dialect.boolean(text === 'true' || text === '1');
  if (number === 'any') return Number(text);
  if (number === 'whole') return Math.max(-MAX_INTEGER, Math.min(MAX_INTEGER, Number(text)));
  return text;
}

/** The values of a choice other than these: an index has them, where it has no order for `<>`. */
export function otherChoices(column: Sql, { choices }: Field, values: readonly string[]): Sql {
  const others = choices.filter((choice) => !values.includes(choice));
  return anyOf(others.map((one) => sql`${column} = ${literal(one)}`));
}
