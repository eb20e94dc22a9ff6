/**
 * What figures of individuals count of each encounter, for three audiences; the years that strangers are told of the birth
 * and death of animals whose level is not open; and custom fields that are no longer told of what is hidden, because a
 * text or number may be that of one animal.
 */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];

/** The types of custom fields that may be `public_when_obscured`. */
const CLASSES: ReadonlySet<unknown> = new Set(['boolean', 'select', 'multiselect']);

interface Definition {
  readonly key: string;
  readonly type: string;
  readonly public_when_obscured?: boolean;
}

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oms_counted_encounters', (table) => {
    table.integer('encounter').primary(); // the ID of the row
    table.integer('individual').notNullable();
    table.integer('audience').notNullable(); // 0 everybody, else the owner of the encounter, -1 without one
    table.string('time', 255);
    table.bigInteger('time_start');
    table.bigInteger('time_end');
    table.index(
      ['individual', 'audience', 'time_start', 'time_end', 'time'],
      'oms_counted_encounters_ix',
    );
  });
  await knex.schema.alterTable('oms_generalized', (table) => {
    table.dropIndex(
      ['individual', 'approved', 'time_start', 'time_end'],
      'oms_generalized_individual_ix',
    );
  });
  // At the first start there are no tables of types yet.
  if (!(await knex.schema.hasTable('individuals'))) return;
  await addColumns(knex);
  await tellYears(knex);
  await count(knex);
  await closeCustomFields(knex);
}

const DATES = ['time_of_birth', 'time_of_death'] as const;

async function addColumns(knex: Knex): Promise<void> {
  await knex.schema.alterTable('individuals', (table) => {
    for (const name of DATES) {
      table.string(`public_${name}`, 255);
      table.bigInteger(`public_${name}_start`);
      table.bigInteger(`public_${name}_end`);
    }
    table.integer('own_encounter_count').defaultTo(0);
    table.string('own_first_seen', 255);
    table.string('own_last_seen', 255);
  });
}

/** The shortest interval that is told as one of two years. */
const YEAR = 366 * 86_400_000;

/** The year of a time, or the years in which an interval begins and ends. */
async function tellYears(knex: Knex): Promise<void> {
  for (const name of DATES) {
    const rows = await knex('individuals')
      .whereNotNull(`${name}_start`)
      .select<Record<string, unknown>[]>('id', name, `${name}_start`, `${name}_end`);
    for (const row of rows) {
      const [from = '', to = from] = String(row[name])
        .split('/')
        .map((part) => part.slice(0, 4));
      const isOne = from === to || Number(row[`${name}_end`]) - Number(row[`${name}_start`]) < YEAR;
      const [first, last] = isOne ? [from, from] : from < to ? [from, to] : [to, from];
      await knex('individuals')
        .where('id', row['id'] as number)
        .update({
          [`public_${name}`]: isOne ? first : `${first}/${last}`,
          [`public_${name}_start`]: Date.UTC(Number(first), 0),
          [`public_${name}_end`]: Date.UTC(Number(last) + 1, 0) - 1,
        });
    }
  }
}

/** All that is kept is computed anew by the job for all encounters: until then nobody but moderators is told of figures. */
async function count(knex: Knex): Promise<void> {
  await knex.raw(`insert into oms_counted_encounters
      (encounter, individual, audience, time, time_start, time_end)
    select e.id, e.individual_id,
      case when e.state = 'approved' and g.encounter is null then 0 else coalesce(e.owner_id, -1) end,
      e.time, e.time_start, e.time_end
    from encounters e left join oms_generalized g on g.encounter = e.id
    where e.individual_id is not null`);
  const rows = (audience: string): string =>
    `from oms_counted_encounters c where c.individual = individuals.id and c.audience = ${audience}`;
  await knex.raw(`update individuals set public_encounter_count = (select count(*) ${rows('0')}),
    own_encounter_count = (select count(*) ${rows('0')}) + (select count(*) ${rows('individuals.owner_id')})`);
  for (const [end, to] of [
    ['first', ''],
    ['last', ' desc'],
  ] as const) {
    const best = (which: string): string => `select c.time, c.time_start, c.time_end ${which}
      and c.time_start is not null order by c.time_start${to}, c.time_end${to}, c.time${to} limit 1`;
    const [told, own] = [best(rows('0')), best(rows('individuals.owner_id'))];
    const columns = ['', '_start', '_end'].map((part) => `public_${end}_seen${part}`);
    await knex.raw(`update individuals set (${columns.join()}) = (${told}),
      own_${end}_seen = (select b.time from (select p.* from (${told}) p union all select q.* from (${own}) q) b
        order by b.time_start${to}, b.time_end${to}, b.time${to} limit 1)`);
  }
}

/** Custom fields that could be of one animal alone are told of hidden records no more. */
async function closeCustomFields(knex: Knex): Promise<void> {
  const rows = await knex('site_settings').select<{ id: number; custom_fields: unknown }[]>(
    'id',
    'custom_fields',
  );
  for (const { id, custom_fields: stored } of rows) {
    if (stored === null) continue;
    const byType = (typeof stored === 'string' ? JSON.parse(stored) : stored) as Readonly<
      Record<string, readonly Definition[]>
    >;
    const closed: string[] = [];
    const changed = Object.entries(byType).map(([type, fields]) => [
      type,
      fields.map((field) => {
        if (field.public_when_obscured !== true || CLASSES.has(field.type)) return field;
        closed.push(`${type}.${field.key}`);
        return { ...field, public_when_obscured: false };
      }),
    ]);
    if (closed.length === 0) continue;
    await knex('site_settings')
      .where({ id })
      .update({ custom_fields: JSON.stringify(Object.fromEntries(changed)) })
      .increment('version', 1);
    strapi.log.warn(
      `Custom fields that are no longer told of hidden records, because only yes or no and choices may be: ${closed.join(', ')}`,
    );
  }
}
