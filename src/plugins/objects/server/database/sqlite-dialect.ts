import type { Dialect, JsonType } from './database';
import { insertEach, insertGivingId } from './insert-rows';
import { rangeRows } from './number-ranges';
import { ALWAYS, join, literal, raw, slot, sql, statementOf, type Sql } from './sql';
import { sqliteSearchTables } from './search-tables';
import { sqliteWords } from './word-index';

const JSON_VALUE: Record<JsonType, (value: Sql) => Sql> = {
  plain: (value) => value,
  boolean: (value) => sql`json(case ${value} when 1 then 'true' when 0 then 'false' end)`,
  json: (value) => sql`json(${value})`,
  instant: (value) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${value} / 1000.0, 'unixepoch')`,
};

/** Keys of definitions have no quotes. */
const memberPath = (key: string): Sql => literal(`$."${key}"`);

export const sqliteDialect: Dialect = {
  jsonObject: (members) =>
    sql`json_object(${join(members.map((m) => sql`${literal(m.name)}, ${JSON_VALUE[m.type](m.sql)}`))})`,
  jsonList: (select) => sql`(select json_group_array(id) from (${select}))`,
  jsonRecords(select, columns) {
    const members = columns.map((name) => sql`${literal(name)}, ${raw(name)}`);
    return sql`(select json_group_array(json_object(${join(members)})) from (${select}))`;
  },
  insertRow: insertGivingId,
  insertRows: insertEach,
  reserveRows: null,
  jsonItems: (list) => sql`(select value, key as position from json_each(${list})) j`,
  jsonRows: (list, columns) => {
    const values = columns.map(({ name }, at) => raw(`value ->> ${at} as ${name}`));
    return sql`(select ${join(values)} from json_each(${list})) r`;
  },
  changeRows(change, ids) {
    const { values } = statementOf(change);
    const each = ids.map((id) => [...values, id]);
    return { sql: sql`${change} = ${slot('id')}`, values: [], each };
  },
  // A condition that has a `select` of its own would be looked at with each row.
  gate: (condition) => ({
    where: ALWAYS,
    most: (rows) => sql`case when ${condition} then ${raw(String(rows))} else 0 end`,
  }),
  splitsChoices: false,
  collected: (select) => select,
  among: (select) => sql`in (${select})`,
  inRanges: (table, alias, column, ranges) =>
    sql`${rangeRows(ranges)} cross join ${raw(`${table} ${alias}`)}
      on ${raw(`${alias}.${column} between r.column1 and r.column2`)}`,
  lookUp: (table, alias, condition) => sql`cross join ${raw(`${table} ${alias}`)} on ${condition}`,
  instant: (milliseconds) => milliseconds,
  milliseconds: (column) => column,
  boolean: (value) => (value ? 1 : 0),
  partOfTime: (text, side) =>
    side === 'start'
      ? sql`substr(${text}, 1, instr(${text} || '/', '/') - 1)`
      : sql`substr(${text}, instr(${text}, '/') + 1)`,
  instantOfText: (text) => sql`cast(round((julianday(${text}) - 2440587.5) * 86400000) as integer)`,
  words: sqliteWords,
  searchTables: sqliteSearchTables,
  // Reads wait for a statement: a millisecond.
  setSize: 50,
  leadingColumns: (table, isPartitioned) =>
    sql`select distinct i.name from pragma_index_list(${table}) l join pragma_index_info(l.name) i
      where ${isPartitioned ? ALWAYS : sql`l.partial = 0`} and i.seqno = 0 and i.name is not null`,
  columnTypes: null,
  byCodePoint: (column) => column,
  jsonText: (object, key) => sql`${object} ->> ${memberPath(key)}`,
  jsonNumber: (object, key) =>
    sql`case when json_type(${object}, ${memberPath(key)}) in ('integer', 'real') then ${object} ->> ${memberPath(key)} end`,
  jsonListHas: (list, values) =>
    sql`exists (select 1 from json_each(${list}) i where i.value in (${values}))`,
  jsonTuple: (values) => sql`json_array(${values})`,
  jsonLength: (list) => sql`json_array_length(${list})`,
  jsonMember: (object, key) => sql`${object} -> ${memberPath(key)}`,
  analyze: () => null,
  forUpdate: () => raw(''),
  forNoKeyUpdate: raw(''),
  forKeyShare: raw(''),
  forShare: raw(''),
  lock: () => null,
  lockShared: () => null,
  clock: raw(`cast(unixepoch('subsec') * 1000 as integer)`),
  notify: () => null,
};
