/** The conditions of a search as SQL over its source. */
import { foldAlike } from '../../../../../core/look-alike';
import type { TimeSpan, WrittenSpan } from '../../../../../core/time';
import type { ColumnType } from '../../database/database';
import {
  ALWAYS,
  anyOf,
  columnIn,
  NEVER,
  raw,
  reading,
  sql,
  type Sql,
  type SqlValue,
} from '../../database/sql';
import type { Field, Resource } from '../../declare/completed';
import { storedNames } from '../../declare/references';
import { definitionOf } from '../../kinds';
import { tellsReference } from '../../read/newest';
import type { CustomField } from '../../site/settings';
import { publicCustom } from './custom';
import { type Subject } from '../language/filters';
import { positionOf } from '../../declare/position';
import { withinBound } from './bounds';
import { eitherOf } from './partitions';
import { inBox, inCircle } from './place';
import type { AreaCondition, ClosedSpan, FieldCondition, SubtreeCondition } from '../language/tree';
import { allOf, OWN, type Source, type Term } from './source';
import { rowsBelow } from './subtree';
import {
  inside,
  overlapping,
  rangesAround,
  rangesSince,
  timeColumns,
  type SpanCondition,
} from './times';
import { meetsWords } from './words';
import { isReferenceList, traitsOf } from '../../kinds/traits';

/** The condition that an object meets a condition on a field, as the caller sees it. */
export function fieldSql(source: Source, condition: FieldCondition): Sql {
  switch (condition.by) {
    case 'id':
      return sql`${source.documentId} = ${condition.id}`;
    case 'values':
      return ofSubject(source, condition.subject, (term) => {
        const has = hasAny(source, condition.subject, term, condition.values);
        return condition.not ? sql`case when ${has} then 0 else 1 end = 1` : has;
      });
    case 'bound':
      return ofSubject(source, condition.subject, (term) =>
        withinBound(source, condition.subject, term, condition.side, condition.bound),
      );
    case 'span':
      return ofSubject(source, condition.subject, (term) =>
        overlapping(source, timeColumns(term), condition.from, condition.to),
      );
    case 'subtree':
      return ofField(source, condition.field, ({ columns: [value = NEVER] }) =>
        isBelow(source, traitsOf(condition.field).isOwnId ? columnIn(OWN, 'id') : value, condition),
      );
    case 'regions':
      return ofField(source, condition.field, ({ columns: [column = NEVER] }) =>
        among(source, column, condition.keys, 'text'),
      );
    case 'box':
    case 'circle':
      return ofPosition(source, condition);
    case 'words':
      return meetsWords(source, condition);
  }
}

/** Ranges of a time, each as a condition (`rangesSince`). @param beside what an index has beside the time */
export const sinceSql = (source: Source, time: SpanCondition, beside: Sql): readonly Sql[] =>
  inRanges(source, time, (term) => rangesSince(source, timeColumns(term), time, beside));

/** The ranges of the indexes of a span (`rangesAround`). */
export const aroundSql = (source: Source, span: ClosedSpan): readonly Sql[] =>
  inRanges(source, span, (term) => rangesAround(timeColumns(term), span));

function inRanges(
  source: Source,
  { subject }: SpanCondition,
  rangesOf: (term: Term) => readonly Sql[],
): readonly Sql[] {
  const term = termOf(source, subject);
  return term.shown === NEVER ? [NEVER] : rangesOf(term).map((range) => allOf([term.shown, range]));
}

/** A condition on a field is met only where the caller is shown the field. */
const shownAnd = (term: Term, meets: (term: Term) => Sql): Sql =>
  term.shown === NEVER ? NEVER : allOf([term.shown, meets(term)]);

const ofField = (source: Source, field: Field, meets: (term: Term) => Sql): Sql =>
  shownAnd(source.term(field), meets);

const ofSubject = (source: Source, subject: Subject, meets: (term: Term) => Sql): Sql =>
  shownAnd(termOf(source, subject), meets);

const termOf = (source: Source, subject: Subject): Term =>
  subject.kind === 'custom'
    ? publicCustom(source, subject.field, subject.custom)
    : source.term(keyed(source, subject.field));

/** A field whose values are compared by a key of its own: without regard to case. */
function keyed({ resource }: Source, field: Field): Field {
  const rule = ruleOf(resource, field);
  return rule ? { ...field, columns: [rule.column] } : field;
}

/** The rule whose key follows from the field alone. */
export const ruleOf = ({ unique }: Source['resource'], { name }: Field) =>
  unique.find(
    ({ fields, dependsOn }) => fields.length === 1 && fields[0] === name && dependsOn.length === 0,
  );

function hasAny(source: Source, subject: Subject, term: Term, values: readonly unknown[]): Sql {
  const given = values.filter((value) => value !== null);
  const empty = values.includes(null) ? [isEmpty(source, subject, term)] : [];
  return eitherOf(source, [
    ...empty,
    ...(given.length > 0 ? [equalsAny(source, subject, term, given)] : []),
  ]);
}

/** Whether nothing is there: no value, or an empty list. */
function isEmpty(source: Source, subject: Subject, { columns: [column = raw('null')] }: Term): Sql {
  if (subject.kind === 'name') return sql`not exists (${namesOf(source)})`;
  if (subject.kind === 'custom')
    return subject.custom.type === 'multiselect'
      ? sql`coalesce(${source.dialect.jsonLength(column)}, 0) = 0`
      : sql`${column} is null`;
  const { field } = subject;
  const items = itemsOf(source, field);
  if (items) return sql`not exists (${items(null)})`;
  return traitsOf(field).isTextList
    ? sql`coalesce(${source.dialect.jsonLength(column)}, 0) = 0`
    : sql`${column} is null`;
}

function equalsAny(source: Source, subject: Subject, term: Term, values: readonly unknown[]): Sql {
  const { dialect } = source;
  const [column = raw('null')] = term.columns;
  if (subject.kind === 'name') {
    const [records] = source.resource.uniqueRecords;
    const folded = values.map((value) => foldAlike(String(value)));
    const owners = sql`select n.object from ${raw(records?.table ?? '')} n
      where ${among(source, raw('n.value'), folded, 'text')}`;
    return sql`${source.rowId} in (${owners})`;
  }
  if (subject.kind === 'custom') return customEquals(source, subject.custom, column, values);
  const { field } = subject;
  const { isTextList, moment } = traitsOf(field);
  const items = itemsOf(source, field);
  if (items) return sql`exists (${items(values.map(String))})`;
  if (isTextList) return dialect.jsonListHas(column, listOf(source, values, 'text'));
  if (moment === 'span')
    return eitherOf(
      source,
      values.map((span) => inside(timeColumns(term), span as WrittenSpan, dialect)),
    );
  if (moment === 'instant')
    return anyOf(values.map((span) => isWithin(source, column, span as TimeSpan)));
  const rule = ruleOf(source.resource, field);
  const { parameter, referredId } = definitionOf(field.kind);
  const wanted = rule
    ? values.map((value) => rule.key({ [field.name]: value }))
    : values.map((value) => referredId?.(value) ?? value);
  const target = field.to === null ? undefined : source.resources.get(field.to);
  if (!target) return among(source, column, wanted, parameter?.type ?? 'text');
  const rows = rowsOf(source, target, wanted.map(String));
  return wanted.length === 1 ? sql`${column} = (${rows})` : sql`${column} in (${rows})`;
}

/** A `select` of the rows of objects; of one that was merged into another, that of its target. */
function rowsOf(source: Source, { table, mergedInto }: Resource, ids: readonly string[]): Sql {
  const row = raw(mergedInto ? `coalesce(t.${mergedInto.columns[0]}, t.id)` : 't.id');
  return sql`select ${row} from ${raw(table)} t where ${among(source, raw('t.document_id'), ids, 'text')}`;
}

const isWithin = ({ dialect }: Source, column: Sql, { start, end }: TimeSpan): Sql =>
  sql`(${column} >= ${dialect.instant(start)} and ${column} <= ${dialect.instant(end)})`;

/** A `select` of these values. */
const listOf = ({ dialect }: Source, values: readonly unknown[], type: ColumnType): Sql =>
  sql`select r.value from ${dialect.jsonRows(sql`${JSON.stringify(values.map((value) => [value]))}`, [{ name: 'value', type }])}`;

/** One value is compared as it is: an index has the rest in order. */
export function among(
  source: Source,
  column: Sql,
  values: readonly unknown[],
  type: ColumnType,
): Sql {
  if (values.length === 0) return NEVER;
  const [only] = values;
  const { dialect } = source;
  if (values.length > 1) return sql`${column} in (${listOf(source, values, type)})`;
  return sql`${column} = ${typeof only === 'boolean' ? dialect.boolean(only) : (only as SqlValue)}`;
}

/** A `select` of the objects that a list names; of those with these IDs alone, if some are given. */
function itemsOf(source: Source, field: Field): ((ids: readonly string[] | null) => Sql) | null {
  const { resources, rowId, access, accessTo, site } = source;
  const target = field.to === null ? undefined : resources.get(field.to);
  if (!target || !isReferenceList(field)) return null;
  const theirs = accessTo(target.type);
  const extent = field.listed?.isExact ? theirs?.exact() : theirs?.extent('read');
  const readable = theirs && extent ? theirs.condition(extent, 't') : NEVER;
  const isOne = (ids: readonly string[] | null): Sql =>
    ids === null
      ? ALWAYS
      : target.mergedInto
        ? sql`t.id in (${rowsOf(source, target, ids)})`
        : among(source, raw('t.document_id'), ids, 'text');
  const { listed, inverse, link, edges } = field;
  const table = raw(`${target.table} t`);
  if (listed) {
    const rows = listed.rows(rowId, storedNames(resources));
    return (ids) =>
      sql`select 1 from (${rows}) m join ${table} on t.id = m.id where ${allOf([readable, isOne(ids)])}`;
  }
  if (inverse) {
    const column = target.fields.get(inverse.field)?.columns[0] ?? 'null';
    // As in the list that a read gives: what does not tell that it refers to the object is not in it.
    const told = theirs ? tellsReference(target, inverse.field, theirs, site, 't') : NEVER;
    return (ids) =>
      sql`select 1 from ${table} where ${raw(`t.${column}`)} = ${rowId} and ${allOf([isOne(ids), readable, told])}`;
  }
  if (edges) {
    const side = (own: string, other: string, ids: readonly string[] | null): Sql =>
      sql`select 1 from ${raw(`${edges.table} e join ${target.table} t on t.id = e.${other}`)}
        where ${raw(`e.${own}`)} = ${rowId} and ${allOf([readable, isOne(ids)])}`;
    return (ids) =>
      sql`${side('source', 'target', ids)} union all ${side('target', 'source', ids)}`;
  }
  if (!link) return null;
  // A row that is made for searches has what its audience sees: the level of an object does not follow from it.
  const ofOwn = access.told(field, OWN, 't');
  const told = ofOwn === ALWAYS ? ofOwn : reading(OWN, ofOwn);
  return (ids) =>
    sql`select 1 from ${raw(`${link.table} l join ${target.table} t on t.id = l.${link.target}`)}
      where ${raw(`l.${link.source}`)} = ${rowId} and ${allOf([isOne(ids), told])}`;
}

const namesOf = ({ resource, rowId }: Source): Sql =>
  sql`select 1 from ${raw(`${resource.uniqueRecords[0]?.table ?? ''} n`)} where n.object = ${rowId}`;

function customEquals(
  source: Source,
  { type }: CustomField,
  column: Sql,
  values: readonly unknown[],
): Sql {
  if (type === 'multiselect')
    return source.dialect.jsonListHas(column, listOf(source, values, 'text'));
  const isNumber = type === 'number' || type === 'integer';
  return among(source, column, values, isNumber ? 'double precision' : 'text');
}

function isBelow(source: Source, column: Sql, { field, id, rows }: SubtreeCondition): Sql {
  if (!rows) return sql`${column} ${source.dialect.among(rowsBelow(source, field, id))}`;
  // Written out: the database has statistics of how many rows have one of them.
  return rows.length === 0 ? NEVER : sql`${column} in (${raw(rows.join())})`;
}

function ofPosition(source: Source, condition: AreaCondition): Sql {
  const position = positionOf(source.resource);
  if (!position) return NEVER;
  const [latitude, longitude] = position.map((field) => source.term(field));
  const [y = NEVER] = latitude?.columns ?? [];
  const [x = NEVER] = longitude?.columns ?? [];
  return allOf([
    latitude?.shown ?? NEVER,
    longitude?.shown ?? NEVER,
    condition.by === 'box' ? inBox(y, x, condition.box) : inCircle(y, x, condition),
  ]);
}
