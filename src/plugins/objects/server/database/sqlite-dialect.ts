import type { Dialect, JsonType } from './database';
import { join, literal, raw, sql, type Sql } from './sql';

const JSON_VALUE: Record<JsonType, (value: Sql) => Sql> = {
  plain: (value) => value,
  boolean: (value) => sql`json(case ${value} when 1 then 'true' when 0 then 'false' end)`,
  json: (value) => sql`json(${value})`,
  instant: (value) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${value} / 1000.0, 'unixepoch')`,
};

export const sqliteDialect: Dialect = {
  jsonObject: (members) =>
    sql`json_object(${join(members.map((m) => sql`${literal(m.name)}, ${JSON_VALUE[m.type](m.sql)}`))})`,
  jsonList: (select) => sql`(select json_group_array(id) from (${select}))`,
  jsonRecords(select, columns) {
    const members = columns.map((name) => sql`${literal(name)}, ${raw(name)}`);
    return sql`(select json_group_array(json_object(${join(members)})) from (${select}))`;
  },
  jsonItems: (list) => sql`(select value, key as position from json_each(${list})) j`,
  jsonRows: (list, columns) => {
    const values = columns.map(({ name }, at) => raw(`value ->> ${at} as ${name}`));
    return sql`(select ${join(values)} from json_each(${list})) r`;
  },
  among: (select) => sql`in (${select})`,
  instant: (milliseconds) => milliseconds,
  boolean: (value) => (value ? 1 : 0),
  forUpdate: () => raw(''),
  forNoKeyUpdate: raw(''),
  forKeyShare: raw(''),
  forShare: raw(''),
  lock: () => null,
  notify: () => null,
};
