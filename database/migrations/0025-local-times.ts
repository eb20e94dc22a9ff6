/**
 * The span of a time is that of its place, as it was written down, and no longer that of UTC: the columns of all times with
 * an offset, the figures that follow from their order, and what searches use, whose keys are in the order of time.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

const SEARCHED = 'oms_search_encounters';
/** Made by a later migration, of what this one has moved, where that has not run yet. */
const COUNTED = 'oms_counted_encounters';

/** The columns of a key of `oms_search_encounters`: a unit of the time, and bits by chance (`search/audience-rows.ts`). */
const FIRST = '-8000000000000';
const UNIT = 16;
const UNITS = 2 ** 41 - 1;
const BITS = 22;

/** The tables with times, and the columns of each: its text, and with `_start` and `_end` its span. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  encounters: ['time'],
  [COUNTED]: ['time'],
  assets: ['taken_at'],
  individuals: ['time_of_birth', 'time_of_death'],
};

export async function up(knex: Knex): Promise<void> {
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('encounters'))) return;
  const isPostgres = isOnPostgres(knex);
  const hasCounted = await knex.schema.hasTable(COUNTED);
  for (const [table, names] of Object.entries(TIMES)) {
    if (table === COUNTED && !hasCounted) continue;
    for (const name of names) {
      const [start, end] = spanOf(name, isPostgres);
      await knex.raw(
        `update ${table} set ${name}_start = ${start}, ${name}_end = ${end} where ${hasOffset(name)}`,
      );
    }
  }
  await orderFigures(knex, hasCounted);
  const moving: unknown = await knex(SEARCHED).whereRaw(hasOffset('time')).first('id');
  if (moving !== undefined) await (isPostgres ? moveOnPostgres(knex) : moveOnSqlite(knex));
}

const isOnPostgres = (knex: Knex): boolean =>
  (knex.client as { config: { client: string } }).config.client !== 'better-sqlite3';

const hasOffset = (name: string): string =>
  `(${name} like '%T%+__:__%' or ${name} like '%T%-__:__%')`;

/** The span of a time as it was written down, from that in UTC. */
function spanOf(name: string, isPostgres: boolean): readonly [start: string, end: string] {
  const parts = isPostgres
    ? [`split_part(${name}, '/', 1)`, `substr(${name}, strpos(${name}, '/') + 1)`]
    : [
        `substr(${name}, 1, instr(${name} || '/', '/') - 1)`,
        `substr(${name}, instr(${name}, '/') + 1)`,
      ];
  const [first, last] = parts.map(
    (part, at) => `(${name}_${at === 0 ? 'start' : 'end'} + 60000 * ${minutesOf(part)})`,
  );
  return [
    `case when ${first} <= ${last} then ${first} else ${last} end`,
    `case when ${first} <= ${last} then ${last} else ${first} end`,
  ];
}

/** The offset at the end of a text, in minutes. */
const minutesOf = (text: string): string => {
  const digits = (from: number): string =>
    `cast(substr(${text}, length(${text}) - ${from}, 2) as integer)`;
  const minutes = `(${digits(4)} * 60 + ${digits(1)})`;
  return `(case when ${text} like '%T%+__:__' then ${minutes}
    when ${text} like '%T%-__:__' then -${minutes} else 0 end)`;
};

/** The first and the last of times may be others than by UTC. */
async function orderFigures(knex: Knex, hasCounted: boolean): Promise<void> {
  const told = `from ${COUNTED} c where c.individual = individuals.id and c.audience = 0`;
  const own = `from ${COUNTED} c where c.individual = individuals.id and c.audience = individuals.owner_id`;
  for (const [end, to] of [
    ['first', ''],
    ['last', ' desc'],
  ] as const) {
    const order = (alias: string): string =>
      ['time_start', 'time_end', 'time'].map((name) => `${alias}.${name}${to}`).join();
    const best = (rows: string): string =>
      `select c.time, c.time_start, c.time_end ${rows} and c.time_start is not null order by ${order('c')} limit 1`;
    const columns = (name: string): string =>
      ['', '_start', '_end'].map((part) => `${name}${end}_seen${part}`).join();
    const all = best('from encounters c where c.individual_id = individuals.id');
    const sets = [
      `(${columns('')}) = (${all})`,
      ...(hasCounted
        ? [
            `(${columns('public_')}) = (${best(told)})`,
            `own_${end}_seen = (select b.time from (select p.* from (${best(told)}) p
              union all select q.* from (${best(own)}) q) b order by ${order('b')} limit 1)`,
          ]
        : []),
    ];
    await knex.raw(`update individuals set ${sets.join()}
      where id in (select e.individual_id from encounters e where ${hasOffset('e.time')})`);
  }
}

/** The key of a row after its time has moved. */
const movedKey = (start: string): string => {
  const unit = (time: string): string => `(case when ${time} < ${FIRST} then 0
    when (${time} - ${FIRST}) / ${UNIT} >= ${UNITS} then ${UNITS - 1} else (${time} - ${FIRST}) / ${UNIT} end)`;
  return `key + (${unit(start)} - ${unit('time_start')}) * ${2 ** BITS}`;
};

const moved = (isPostgres: boolean): Readonly<Record<string, string>> => {
  const [start, end] = spanOf('time', isPostgres);
  return { key: movedKey(`(${start})`), time_start: start, time_end: end };
};

/** A copy, in the order of its keys: to change them one by one would write each index twice. */
async function moveOnSqlite(knex: Knex): Promise<void> {
  const made = async (type: string): Promise<string[]> =>
    knex('sqlite_master').where({ type, tbl_name: SEARCHED }).whereNotNull('sql').pluck('sql');
  const [table = ''] = await made('table');
  const indexes = await made('index');
  const copy = `${SEARCHED}_copy`;
  await knex.raw(table.replace(SEARCHED, copy));
  const columns = (
    await knex.raw<{ name: string }[]>(`select name from pragma_table_info('${SEARCHED}')`)
  ).map(({ name }) => name);
  const values = moved(false);
  const selected = columns.map((name) => {
    const value = values[name];
    return value === undefined
      ? name
      : `case when ${hasOffset('time')} then ${value} else ${name} end`;
  });
  await knex.raw(`insert or ignore into ${copy} (${columns.join()})
    select ${selected.join()} from ${SEARCHED} order by 1`);
  // Two rows that would have one key.
  const named = selected.map((value, at) => `${value} as ${columns[at]}`);
  const shown = columns.map((name) =>
    name === 'key' ? 'cast(s.key as text) as key' : `s.${name}`,
  );
  const left = await knex.raw<Record<string, unknown>[]>(`select ${shown.join()}
    from (select ${named.join()} from ${SEARCHED}) s where exists
      (select 1 from ${copy} c where c.key = s.key and (c.id <> s.id or c.audience <> s.audience))`);
  for (const row of left) {
    const key = await freeKey(knex, copy, BigInt(String(row['key'])));
    await knex(copy).insert({ ...row, key: knex.raw(String(key)) });
  }
  await knex.raw(`drop table ${SEARCHED}`);
  await knex.raw(`alter table ${copy} rename to ${SEARCHED}`);
  for (const index of indexes) await knex.raw(index);
  await knex.raw(`insert into ${SEARCHED}_words (${SEARCHED}_words) values ('rebuild')`);
}

async function moveOnPostgres(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { indexname: string; indexdef: string }[] }>(
    `select indexname, indexdef from pg_indexes where tablename = '${SEARCHED}' and schemaname = current_schema()`,
  );
  const primary = `${SEARCHED}_pkey`;
  const indexes = rows.filter(({ indexname }) => indexname !== primary);
  for (const { indexname } of indexes) await knex.raw('drop index ??', [indexname]);
  await knex.raw(`alter table ${SEARCHED} drop constraint ${primary}`);
  const sets = Object.entries(moved(true)).map(([name, value]) => `${name} = ${value}`);
  await knex.raw(`update ${SEARCHED} set ${sets.join()} where ${hasOffset('time')}`);
  await knex.raw(`create index ${SEARCHED}_moved_ix on ${SEARCHED} (key)`);
  const { rows: twins } = await knex.raw<{
    rows: { key: string; id: number; audience: number }[];
  }>(`select cast(key as text) as key, id, audience from
      (select key, id, audience, row_number() over (partition by key order by id, audience) as place from ${SEARCHED}) s
    where place > 1`);
  for (const { key, id, audience } of twins) {
    const free = await freeKey(knex, SEARCHED, BigInt(key));
    await knex.raw(`update ${SEARCHED} set key = ${free} where id = ? and audience = ?`, [
      id,
      audience,
    ]);
  }
  await knex.raw(`drop index ${SEARCHED}_moved_ix`);
  await knex.raw(`alter table ${SEARCHED} add constraint ${primary} primary key (key)`);
  for (const { indexdef } of indexes) await knex.raw(indexdef);
}

async function freeKey(knex: Knex, table: string, taken: bigint): Promise<bigint> {
  for (let key = taken; ; key += 1n)
    if (!(await knex(table).whereRaw(`key = ${key}`).first('id'))) return key;
}
