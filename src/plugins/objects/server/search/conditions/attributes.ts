/**
 * Conditions on attributes as SQL: values are compared as Strapi compares them; a text is contained where it begins with a
 * word, if the field has words.
 */
import { ALWAYS, anyOf, Column, columnIn, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Field, Resource } from '../../declare/completed';
import {
  isOnField,
  type AttributeCondition,
  type Condition,
  type TreeCondition,
} from '../language/tree';
import { OBJECTS } from '../projection/parts';
import { onColumn, type ComparedRows } from './compared';
import { compared, DENSE, INDEXABLE } from './operators';
import { eitherOf } from './partitions';
import { UnknownFilter, type Predicate } from './predicate';
import { allOf, OWN, type Source } from './source';
import { meetsWords } from './words';
import { isSecret } from '../../kinds/traits';

/** @throws UnknownFilter */
export const attributePredicate = (source: Source, condition: TreeCondition): Predicate =>
  compile(source, listedRows(source), condition);

/** The columns of tables under their aliases that are the first ones of an index. */
const leadingOf =
  ({ indexes }: Source, type: string, aliases: readonly string[]) =>
  (column: Sql): boolean =>
    column instanceof Column &&
    aliases.includes(column.alias) &&
    indexes?.(type, column.alias).has(column.name) === true;

/** The rows of the list itself. */
function listedRows(source: Source): ComparedRows {
  const { resource, rowId, documentId, alias } = source;
  const isIndexed = leadingOf(source, resource.type, [alias, OWN]);
  const key = alias === 's' ? columnIn(alias, 'sort_key') : null;
  // The own table of a type that is searched in another one.
  const isOwn = alias === OWN && resource.searched !== null;
  return {
    resource,
    isListed: true,
    id: rowId,
    documentId,
    isIndexed,
    either: (conditions) => eitherOf(source, conditions),
    column: (name) => columnIn(OWN, name),
    term(field) {
      const term = source.term(field);
      const own = field.columns.map((name) => columnIn(OWN, name));
      // The type's own table may have an index where that for searches has none.
      return term.shown === ALWAYS && !term.columns.some(isIndexed) && own.some(isIndexed)
        ? { shown: ALWAYS, columns: own }
        : term;
    },
    words: (words) => (isOwn ? null : meetsWords(source, { by: 'words', words })),
    sortKey: (value) => {
      if (isOwn) return null;
      return key ? sql`${key} = ${value}` : sql`${rowId} in (${havingKey(resource, value)})`;
    },
  };
}

/** What a reference of the list points to, in rows with the alias `t`. */
function targetRows(source: Source, resource: Resource): ComparedRows {
  const access = source.accessTo(resource.type);
  if (!access || access.exact() !== 'all') throw new UnknownFilter(resource.type);
  const ownWords = resource.searched === null;
  return {
    resource,
    isListed: false,
    isIndexed: leadingOf(source, resource.type, ['t']),
    id: columnIn('t', 'id'),
    documentId: columnIn('t', 'document_id'),
    either: anyOf,
    column: (name) => columnIn('t', name),
    term: (field) => ({
      shown: access.condition(access.seen(field), 't'),
      columns: field.columns.map((name) => columnIn('t', name)),
    }),
    words(words) {
      if (!ownWords) return null;
      const { dialect } = source;
      const query = dialect.words.query(words.map((tokens) => [{ tokens }]));
      return sql`t.id in (select k.id from ${raw(`${OBJECTS} k`)} where k.type = ${resource.type}
        and k.part = 0 and ${dialect.words.meets(OBJECTS, 'k', query)})`;
    },
    sortKey: (value) => (ownWords ? sql`t.id in (${havingKey(resource, value)})` : null),
  };
}

const havingKey = ({ type }: Resource, key: string): Sql =>
  sql`select k.id from ${raw(`${OBJECTS} k`)} where k.type = ${type} and k.part = 0 and k.sort_key = ${key}`;

function compile(source: Source, rows: ComparedRows, condition: Condition): Predicate {
  if (isOnField(condition)) throw new UnknownFilter(condition.by);
  switch (condition.by) {
    case 'all': {
      const parts = condition.parts.map((part) => compile(source, rows, part));
      return {
        sql: allOf(parts.map((part) => part.sql)),
        isIndexed: parts.some(({ isIndexed }) => isIndexed),
      };
    }
    case 'any': {
      const parts = condition.parts.map((part) => compile(source, rows, part));
      return {
        sql: rows.either(parts.map((part) => part.sql)),
        isIndexed: parts.every(({ isIndexed }) => isIndexed),
      };
    }
    case 'not':
      return {
        sql: sql`not (${compile(source, rows, condition.part).sql})`,
        isIndexed: false,
      };
    case 'related':
      return related(source, rows, condition.attribute, condition.part);
    case 'attribute':
      return onAttribute(source, rows, condition);
  }
}

const fieldOf = ({ fields, hidden }: Resource, attribute: string): Field => {
  const found = [...fields.values()].find((field) => field.attribute === attribute);
  if (!found || hidden.has(attribute) || isSecret(found)) throw new UnknownFilter(attribute);
  return found;
};

/** A condition on what an attribute refers to: one object, or some of a list. */
function related(
  source: Source,
  rows: ComparedRows,
  attribute: string,
  part: Condition,
): Predicate {
  const field = fieldOf(rows.resource, attribute);
  const target = source.resources.get(field.to ?? '');
  if (!target || !rows.isListed) throw new UnknownFilter(attribute);
  const { shown, columns } = rows.term(field);
  const [column] = columns;
  const isOne = field.link === null && column !== undefined;
  if (isOne && part.by === 'attribute' && part.operator === 'null' && isIdentity(part.attribute))
    return { sql: allOf([shown, sql`${column} is null`]), isIndexed: rows.isIndexed(column) };
  const inner = compile(source, targetRows(source, target), part);
  const found = allOf([inner.sql, readable(source, target)]);
  const table = raw(`${target.table} t`);
  if (isOne) {
    if (asksForNone(part))
      return {
        sql: allOf([
          shown,
          sql`exists (select 1 from (select 1 as one) l left join ${table} on t.id = ${column} where ${inner.sql})`,
        ]),
        isIndexed: false,
      };
    // By the few that meet it; or each by itself, where all would have to be looked at.
    const has = inner.isIndexed
      ? sql`${column} in (select t.id from ${table} where ${found})`
      : sql`exists (select 1 from ${table} where t.id = ${column} and ${found})`;
    return {
      sql: allOf([shown, has]),
      isIndexed: inner.isIndexed && rows.isIndexed(column),
    };
  }
  if (!field.link) throw new UnknownFilter(attribute);
  const { table: links, source: from, target: to } = field.link;
  if (asksForNone(part))
    return {
      sql: allOf([
        shown,
        sql`exists (select 1 from (select 1 as one) n left join ${raw(`${links} l`)} on ${raw(`l.${from}`)} = ${rows.id}
          left join ${table} on t.id = ${raw(`l.${to}`)} where ${inner.sql})`,
      ]),
      isIndexed: false,
    };
  return {
    sql: allOf([
      shown,
      sql`${rows.id} in (select ${raw(`l.${from}`)} from ${table} join ${raw(`${links} l`)} on ${raw(`l.${to}`)} = t.id where ${found})`,
    ]),
    isIndexed: inner.isIndexed,
  };
}

const readable = ({ accessTo }: Source, { type }: Resource): Sql => {
  const access = accessTo(type);
  return access ? access.condition(access.extent('read'), 't') : NEVER;
};

const isIdentity = (attribute: string): boolean => attribute === 'id' || attribute === 'documentId';

/** Whether a condition can be met where there is nothing: Strapi compares what is not there as null. */
function asksForNone(condition: Condition): boolean {
  if (isOnField(condition)) return false;
  switch (condition.by) {
    case 'attribute':
      return condition.operator === 'null';
    case 'all':
    case 'any':
      return condition.parts.some(asksForNone);
    case 'related':
      return asksForNone(condition.part);
    case 'not':
      return true;
  }
}

function onAttribute(
  { dialect }: Source,
  rows: ComparedRows,
  { attribute, operator, values }: AttributeCondition,
): Predicate {
  if (isIdentity(attribute)) {
    const isRow = attribute === 'id';
    const [kind, column] = isRow ? (['row', rows.id] as const) : (['id', rows.documentId] as const);
    const isIndexed = INDEXABLE.has(operator) || DENSE.has(operator);
    return { sql: compared(dialect, kind, column, operator, values), isIndexed };
  }
  const field = fieldOf(rows.resource, attribute);
  if (field.to !== null) throw new UnknownFilter(attribute);
  const { shown, columns } = rows.term(field);
  const [column] = columns;
  if (!column) throw new UnknownFilter(attribute);
  const met = onColumn(dialect, rows, field, columns, operator, values);
  return {
    sql: allOf([shown, met.sql]),
    isIndexed: met.isIndexed && shown === ALWAYS,
  };
}
