/**
 * The filters of lists as SQL: each condition with whether an index finds what meets it. Values are compared as Strapi
 * compares them; a text is contained where it begins with a word, if the field has words.
 */
import { ALWAYS, anyOf, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Field, Resource } from '../../define/completed';
import { compared, DENSE, INDEXABLE } from './operators';
import type { ListFilter, Operator } from '../language/list-filter';
import {
  isIndexedIn,
  onColumn,
  UnknownFilter,
  type Indexed,
  type ListCondition,
  type Rows,
} from './attribute';
import { OBJECTS } from '../projection/parts';
import { allOf, type Source } from './source';
import { meetsWords } from './words';

interface Scope {
  readonly source: Source;
  readonly indexed: (type: string, alias: string) => Indexed;
}

/** @throws UnknownFilter */
export const listCondition = (scope: Scope, filter: ListFilter): ListCondition =>
  compile(scope, listedRows(scope), filter);

/** The parts all of which have to hold. */
export const conjuncts = (filter: ListFilter | null): readonly ListFilter[] => {
  if (filter === null) return [];
  return filter.by === 'all' ? filter.parts.flatMap(conjuncts) : [filter];
};

/** The rows of the list itself. */
function listedRows({ source, indexed }: Scope): Rows {
  const { resource, rowId, documentId, alias } = source;
  const indexes = new Set([...indexed(resource.type, alias), ...indexed(resource.type, 'o')]);
  const key = alias === 's' ? raw('s.sort_key') : null;
  // The own table of a type that is searched in another one.
  const isOwn = alias === 'o' && resource.searched !== null;
  return {
    resource,
    isListed: true,
    id: rowId,
    documentId,
    indexes,
    column: (name) => raw(`o.${name}`),
    term(field) {
      const term = source.term(field);
      const own = field.columns.map((name) => `o.${name}`);
      const isKept = term.columns.some((column) => indexes.has(column.sqlite));
      // The type's own table may have an index where that for searches has none.
      return term.shown === ALWAYS && !isKept && own.some((name) => indexes.has(name))
        ? { shown: ALWAYS, columns: own.map(raw) }
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
function targetRows({ source, indexed }: Scope, resource: Resource): Rows {
  const access = source.accessTo(resource.type);
  if (!access || access.exact() !== 'all') throw new UnknownFilter(resource.type);
  const ownWords = resource.searched === null;
  return {
    resource,
    isListed: false,
    indexes: indexed(resource.type, 't'),
    id: raw('t.id'),
    documentId: raw('t.document_id'),
    column: (name) => raw(`t.${name}`),
    term: (field) => ({
      shown: access.condition(access.seen(field), 't'),
      columns: field.columns.map((name) => raw(`t.${name}`)),
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

function compile(scope: Scope, rows: Rows, filter: ListFilter): ListCondition {
  switch (filter.by) {
    case 'all': {
      const parts = filter.parts.map((part) => compile(scope, rows, part));
      return {
        sql: allOf(parts.map((part) => part.sql)),
        isIndexed: parts.some(({ isIndexed }) => isIndexed),
      };
    }
    case 'any': {
      const parts = filter.parts.map((part) => compile(scope, rows, part));
      return {
        sql: anyOf(parts.map((part) => part.sql)),
        isIndexed: parts.every(({ isIndexed }) => isIndexed),
      };
    }
    case 'not':
      return {
        sql: sql`not (${compile(scope, rows, filter.part).sql})`,
        isIndexed: false,
      };
    case 'related':
      return related(scope, rows, filter.attribute, filter.part);
    case 'value':
      return onAttribute(scope, rows, filter.attribute, filter.operator, filter.values);
  }
}

const fieldOf = ({ fields, hidden }: Resource, attribute: string): Field => {
  const found = [...fields.values()].find((field) => field.attribute === attribute);
  if (!found || hidden.has(attribute) || found.kind === 'secret')
    throw new UnknownFilter(attribute);
  return found;
};

/** A condition on what an attribute refers to: one object, or some of a list. */
function related(scope: Scope, rows: Rows, attribute: string, part: ListFilter): ListCondition {
  const { source } = scope;
  const field = fieldOf(rows.resource, attribute);
  const target = source.resources.get(field.to ?? '');
  if (!target || !rows.isListed) throw new UnknownFilter(attribute);
  const { shown, columns } = rows.term(field);
  const [column] = columns;
  const isOne = field.link === null && column !== undefined;
  if (isOne && part.by === 'value' && part.operator === 'null' && isIdentity(part.attribute))
    return { sql: allOf([shown, sql`${column} is null`]), isIndexed: isIndexedIn(rows, column) };
  const inner = compile(scope, targetRows(scope, target), part);
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
      isIndexed: inner.isIndexed && isIndexedIn(rows, column),
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
function asksForNone(filter: ListFilter): boolean {
  if (filter.by === 'value') return filter.operator === 'null';
  if (filter.by === 'all' || filter.by === 'any') return filter.parts.some(asksForNone);
  return filter.by === 'not' || asksForNone(filter.part);
}

function onAttribute(
  scope: Scope,
  rows: Rows,
  attribute: string,
  operator: Operator,
  values: readonly string[],
): ListCondition {
  const { dialect } = scope.source;
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
  const met = onColumn(scope.source.dialect, rows, field, columns, operator, values);
  return {
    sql: allOf([shown, met.sql]),
    isIndexed: met.isIndexed && shown === ALWAYS,
  };
}
