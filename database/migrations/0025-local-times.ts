/**
 * The span of a time is that of its place, as it was written down, and no longer that of UTC: the columns of all times with
 * an offset, and the figures that follow from their order.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

/** Made by a later migration, of what this one has moved, where that has not run yet. */
const COUNTED = 'oms_counted_encounters';

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
