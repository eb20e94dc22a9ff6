import type { Core } from '@strapi/strapi';
import { parseTime, parseWritten } from '#app/core/time';
import { leastKey } from '#app/plugins/objects/server/search/projection/keys';
import { uuid } from '../../helpers/ids';

type Knex = Core.Strapi['db']['connection'];
type Write = (type: string, body: Record<string, unknown>) => Promise<unknown>;

const SEARCHED = 'oms_search_encounters';
const ANIMAL = uuid(0x31);
const [REPORT, PHOTOGRAPH] = [uuid(0x41), uuid(0x42)];
/** Of the last two, the first one is the first by its calendar, and the last one by UTC. */
const TIMES = [
  ...['2021-03-01T23:30-07:00', '2021-03-02', '1650-01-01T10:00+02:00'],
  ...['2021-07-01T10:00+02:00', '2021-07-01T10:00+03:00'],
  ...['2020-10-25T02:50+02:00/2020-10-25T02:10+01:00'],
  ...['2021-05-31T23:50-12:00', '2021-06-01T00:10+14:00'],
];
const idOf = (at: number): string => uuid(0x51 + at);

/**
 * A database in which times have the spans of UTC, and claims are of one kind.
 *
 * @param taxonomy of what is open
 */
export async function fillTimesAndClaims(
  knex: Knex,
  write: Write,
  taxonomy: string,
): Promise<void> {
  await write('individual', { id: ANIMAL });
  for (const [at, time] of TIMES.entries())
    await write('encounter', {
      id: idOf(at),
      time,
      taxonomy,
      latitude: 1,
      longitude: 1,
      ...(at >= 6 ? { individual: ANIMAL } : {}),
    });
  for (const [at, time] of TIMES.entries()) {
    const span = parseTime(time);
    if (!span) throw new RangeError(time);
    const found = { document_id: idOf(at) };
    const bits = at === 3 || at === 4 ? 5n : BigInt(at);
    const times = { time_start: span.start, time_end: span.end };
    const key = knex.raw(String(leastKey(span.start) + bits));
    await knex('encounters').where(found).update(times);
    await knex(SEARCHED)
      .where(found)
      .update({ ...times, key });
    await knex('oms_counted_encounters')
      .whereIn('encounter', knex('encounters').where(found).select('id'))
      .update(times);
  }
  const last = parseTime(String(TIMES[7]));
  for (const name of ['first_seen', 'public_first_seen'])
    await knex('individuals')
      .where({ document_id: ANIMAL })
      .update({ [name]: TIMES[7], [`${name}_start`]: last?.start, [`${name}_end`]: last?.end });
  await write('encounter', { id: REPORT, taxonomy, latitude: 1, longitude: 1 });
  // It had a photograph when it was made.
  const made = [['assets', null, [PHOTOGRAPH]]];
  await knex('oms_history')
    .where({ object: REPORT })
    .update({ changes: JSON.stringify(made), at: 1_000_000 });
  await knex('oms_claims').insert([
    { hash: 'a'.repeat(64), object: REPORT },
    { hash: 'b'.repeat(64), object: PHOTOGRAPH, ends_at: 86_400_000 },
  ]);
  for (const column of ['type', 'known_until', 'adopt_until', 'brought'])
    await knex.schema.alterTable('oms_claims', (table) => table.dropColumn(column));
  for (const name of ['%-claims%', '%local-times%'])
    await knex('strapi_migrations').where('name', 'like', name).delete();
}

export const FILLED = TIMES.length + 1;

export function testTimesAndClaims(knex: () => Knex, searched: () => Promise<string>): void {
  test('times have the spans of their places, in the order of which searches have them', async () => {
    const keys = new Set<string>();
    const kept = await searched();
    for (const [at, time] of TIMES.entries()) {
      const local = parseWritten(time)?.local;
      for (const table of ['encounters', kept]) {
        const row = await knex()(table)
          .where({ document_id: idOf(at) })
          .first<Record<string, unknown>>('time_start', 'time_end');
        const span = { start: Number(row['time_start']), end: Number(row['time_end']) };
        expect([table, time, span]).toEqual([table, time, local]);
      }
      const { key } = await knex()(kept)
        .where({ document_id: idOf(at) })
        .first<{ key: string }>(knex().raw('cast(key as text) as key'));
      expect([time, BigInt(key) >> 22n]).toEqual([time, leastKey(local?.start ?? null) >> 22n]);
      keys.add(key);
    }
    expect(keys.size).toBe(TIMES.length);
    const animal = await knex()('individuals').where({ document_id: ANIMAL }).first<object>();
    expect(animal).toMatchObject({
      first_seen: TIMES[6],
      public_first_seen: TIMES[6],
      own_first_seen: TIMES[6],
      last_seen: TIMES[7],
    });
  });

  test('a claim of a report brings what the report was sent with, and lasts for 30 days', async () => {
    const claims = await knex()('oms_claims').orderBy('hash').select<Record<string, unknown>[]>();
    const until = 30 * 86_400_000;
    expect(
      claims.map(({ type, known_until: known, adopt_until: adopt, brought }) => [
        type,
        Number(known),
        adopt === null ? null : Number(adopt),
        brought,
      ]),
    ).toEqual([
      ['encounter', until + 1_000_000, until + 1_000_000, JSON.stringify([PHOTOGRAPH])],
      ['asset', until, null, null],
    ]);
  });
}
