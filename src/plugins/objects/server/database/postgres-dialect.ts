import type { Dialect, JsonType, Lock } from './database';
import { insertReturning, insertTogether } from './insert-rows';
import { rangeRows } from './number-ranges';
import { amongRows } from './row-ids';
import { ALWAYS, join, literal, raw, sql, statementOf, type Sql } from './sql';
import { postgresSearchTables } from './search-tables';
import { postgresWords } from './word-index';

const JSON_VALUE: Record<JsonType, (value: Sql) => Sql> = {
  plain: (value) => value,
  boolean: (value) => value,
  json: (value) => sql`(${value})::jsonb`,
  instant: (value) => sql`to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** The keys of advisory locks. */
const LOCKS: Record<Lock, number> = {
  trees: 7_230_001,
  administrators: 7_230_002,
  privacy: 7_230_003,
  protection: 7_230_004,
};

export const postgresDialect: Dialect = {
  // Not json_build_object: a function has at most 100 arguments, which is 50 fields.
  jsonObject: (members) => {
    const columns = members.map((m) => sql`${JSON_VALUE[m.type](m.sql)} as ${raw(`"${m.name}"`)}`);
    return sql`(select row_to_json(o)::text from (select ${join(columns)}) o)`;
  },
  jsonList: (select) => sql`(select coalesce(json_agg(l.id), '[]') from (${select}) l)`,
  jsonRecords(select, columns) {
    const members = columns.map((name) => sql`${literal(name)}, ${raw(`l.${name}`)}`);
    return sql`(select coalesce(json_agg(json_build_object(${join(members)})), '[]') from (${select}) l)`;
  },
  insertRow: insertReturning,
  insertRows: insertTogether,
  reserveRows: (table, count) =>
    sql`select nextval(pg_get_serial_sequence(${table}, 'id')) from generate_series(1, ${count})`,
  jsonItems: (list) =>
    sql`(select value, position from jsonb_array_elements_text(${list}::jsonb) with ordinality a(value, position)) j`,
  jsonRows: (list, columns) => {
    const values = columns.map(({ name, type }, at) =>
      raw(`(value ->> ${at})::${type} as ${name}`),
    );
    return sql`(select ${join(values)} from jsonb_array_elements(${list}::jsonb) a(value)) r`;
  },
  splitsChoices: true,
  collected: (select) => sql`${select} offset 0`,
  gate: (condition) => ({ where: condition, most: (rows) => raw(String(rows)) }),
  changeRows: (change, ids) => statementOf(sql`${change} ${amongRows(ids, postgresDialect)}`),
  among: (select) => sql`= any(array(${select}))`,
  // Behind an offset it is planned by itself: PostgreSQL would take a range of parameters for a part of the whole table.
  inRanges: (table, alias, column, ranges, partition) =>
    sql`${rangeRows(ranges)} cross join lateral (select ${raw(`${alias}.* from ${table} ${alias}
      where ${alias}.${column}`)} between r.column1 and r.column2 and ${partition} offset 0) ${raw(alias)}`,
  lookUp: (table, alias, condition) =>
    sql`cross join lateral (select ${raw(`${alias}.* from ${table} ${alias}`)} where ${condition} offset 0) ${raw(alias)}`,
  instant: (milliseconds) =>
    new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', ''),
  milliseconds: (column) => sql`(extract(epoch from ${column}) * 1000)::bigint`,
  boolean: (value) => value,
  partOfTime: (text, side) =>
    side === 'start'
      ? sql`split_part(${text}, '/', 1)`
      : sql`substr(${text}, strpos(${text}, '/') + 1)`,
  instantOfText: (text) =>
    sql`(extract(epoch from date_trunc('milliseconds', cast(${text} as timestamptz))) * 1000)::bigint`,
  words: postgresWords,
  searchTables: postgresSearchTables,
  setSize: 100,
  leadingColumns: (table, isPartitioned) =>
    sql`select distinct a.attname from pg_index i join pg_attribute a
      on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = cast(${table} as regclass) and ${isPartitioned ? ALWAYS : sql`i.indpred is null`}
        and a.atttypid <> cast('tsvector' as regtype)`,
  columnTypes: (table) =>
    sql`select a.attname, format_type(a.atttypid, a.atttypmod) from pg_attribute a
      where a.attrelid = cast(${table} as regclass) and a.attnum > 0 and not a.attisdropped`,
  byCodePoint: (column) => sql`(${column} collate "C")`,
  jsonText: (object, key) => sql`${object}::jsonb ->> ${literal(key)}`,
  jsonNumber: (object, key) =>
    sql`case when jsonb_typeof(${object}::jsonb -> ${literal(key)}) = 'number' then (${object}::jsonb ->> ${literal(key)})::double precision end`,
  jsonListHas: (list, values) =>
    sql`exists (select 1 from jsonb_array_elements_text(case jsonb_typeof(${list}::jsonb) when 'array' then ${list}::jsonb end) i(value) where i.value in (${values}))`,
  jsonTuple: (values) => sql`cast(json_build_array(${values}) as text)`,
  jsonLength: (list) =>
    sql`case jsonb_typeof(${list}::jsonb) when 'array' then jsonb_array_length(${list}::jsonb) end`,
  jsonMember: (object, key) => sql`(${object}::jsonb -> ${literal(key)})`,
  analyze: (table) => sql`analyze ${raw(table)}`,
  forUpdate: (alias) => raw(` for update of ${alias}`),
  forNoKeyUpdate: raw(' for no key update'),
  forKeyShare: raw(' for key share'),
  forShare: raw(' for share'),
  lock: (what) => sql`select pg_advisory_xact_lock(${raw(String(LOCKS[what]))})::text`,
  lockShared: (what) => sql`select pg_advisory_xact_lock_shared(${raw(String(LOCKS[what]))})::text`,
  clock: raw('cast(extract(epoch from clock_timestamp()) * 1000 as bigint)'),
  notify: (channel, text) => sql`select pg_notify(${literal(channel)}, ${text})::text`,
};
