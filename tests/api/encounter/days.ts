import { randomUUID } from 'node:crypto';
import { backgroundOf } from '#app/plugins/objects/server';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { at, parsed } from '../../helpers/json';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import type { World } from '../../helpers/world';

/** Times by the calendars of their places, on a shared service. */
export function testDays(world: () => World): void {
  /** Nothing else has this, so that others do not count. */
  const source = `days ${randomUUID()}`;

  const TIMES = {
    arizona: '2021-03-01T23:30-07:00',
    utc: '2021-03-02T06:30Z',
    tonga: '2021-03-02T00:30+13:00',
    bare: '2021-03-02T06:30',
    day: '2021-03-01',
    month: '2021-03',
    // The hour that is repeated when clocks are put back.
    back: '2020-10-25T02:50+02:00/2020-10-25T02:10+01:00',
    kiribati: '2021-06-01T00:10+14:00',
    howland: '2021-05-31T23:50-12:00',
  } as const;
  type Name = keyof typeof TIMES;
  const names = new Map<string, Name>();

  beforeAll(async () => {
    await openToRoles(world().service);
    for (const [name, time] of Object.entries(TIMES))
      names.set(await world().create('encounter', { time, source }), name as Name);
  });

  async function find(query: string, headers = authorizationOf('moderator')): Promise<string[]> {
    const url = `/api/v0/search/encounter?source=${encodeURIComponent(source)}&${query}`;
    const { text } = await world().send({ method: 'GET', url, headers });
    return (at(parsed(text), 'matches') as string[]).map((id) => names.get(id) ?? id);
  }

  const plus = (query: string): string => query.replaceAll('+', '%2B');

  test.each<[string, Name[]]>([
    ['time=2021-03-01', ['arizona', 'day']],
    ['time=2021-03-02', ['tonga', 'utc', 'bare']],
    ['time=2021-03', ['arizona', 'utc', 'tonga', 'bare', 'day', 'month']],
    ['time=2021-03-01T23:30', ['arizona']],
    // The same instant, and what is not known to be another one.
    ['time=2021-03-02T06:30Z', ['arizona', 'utc', 'bare']],
    ['time=2021-03-01T23:30-07:00', ['arizona', 'utc']],
    ['time=2021-03-02T06:30', ['utc', 'bare']],
    ['time=2020-10-25', ['back']],
    ['time=2020-10-25T02:10/2020-10-25T02:50', ['back']],
    ['time=2021-05-31', ['howland']],
    ['time=2021-06-01', ['kiribati']],
    ['time=2021-06-01T11:50Z', ['howland']],
    ['time=2021-05-31T10:10Z', ['kiribati']],
    ['time_not=2021-03,2020', ['kiribati', 'howland']],
    ['time_min=2021-03-01&time_max=2021-03-01', ['arizona', 'day', 'month']],
    ['time_min=2021-03-02&time_max=2021-03-02', ['utc', 'tonga', 'bare', 'month']],
    ['time_max=2021-02-28', ['back']],
    ['time_min=2021-06-01', ['kiribati']],
    // Bounds that are instants.
    ['time_min=2021-06-01T00:00Z', ['howland']],
    ['time_min=2021-05-01&time_max=2021-05-31T11:00Z', ['kiribati']],
    ['time_min=2021-03-02T06:30Z&time_max=2021-03-02T06:30Z', ['arizona', 'utc', 'bare', 'month']],
    ['time_min=2021-03-01T11:30Z&time_max=2021-03-01T11:30Z', ['tonga', 'day', 'month']],
    ['time_max=2020-10-25T00:49Z', []],
    ['time_max=2020-10-25T00:50Z', ['back']],
    ['time_min=2020-10-25T01:11Z&time_max=2021-01-01', []],
    ['time_min=2020-10-25T01:10Z&time_max=2021-01-01', ['back']],
  ])('%s', async (query, expected) => {
    expect((await find(plus(query))).sort()).toEqual([...expected].sort());
  });

  test('are in the order of what was written down', async () => {
    const order: Name[] = [
      ...(['back', 'day', 'month', 'arizona', 'tonga', 'utc', 'bare'] as const),
      ...(['howland', 'kiribati'] as const),
    ];
    // A whole month begins with its first day, and ends after it.
    const told = (all: readonly string[]) =>
      all.filter((name) => name !== 'utc' && name !== 'bare');
    for (const limit of [100, 1]) {
      const found: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const cursor = next === '' ? '' : `&cursor=${next}`;
        const url = `/api/v0/search/encounter?source=${encodeURIComponent(source)}&sort=time&limit=${limit}${cursor}`;
        const headers = authorizationOf('moderator');
        const { text } = await world().send({ method: 'GET', url, headers });
        found.push(...(at(parsed(text), 'matches') as string[]));
        next = at(parsed(text), 'response', 'next') as string | null;
      }
      expect(told(found.map((id) => names.get(id) ?? id))).toEqual(told(order));
    }
  });

  test('are those of an individual’s first and last encounter', async () => {
    const individual = await world().create('individual');
    for (const time of ['2021-05-31T23:50-12:00', '2021-06-01T00:10+14:00'])
      await world().create('encounter', { time, individual });
    const { first_seen, last_seen, encounters } = await world().read('individual', individual);
    expect([first_seen, last_seen]).toEqual(['2021-05-31T23:50-12:00', '2021-06-01T00:10+14:00']);
    const [newest] = encounters as string[];
    expect((await world().read('encounter', String(newest)))['time']).toBe(last_seen);
  });

  test('tell a stranger no more of what is hidden than its month', async () => {
    const owner = await makePerson(world().service);
    const stranger = bearer(await login(world(), await makePerson(world().service)));
    const hidden = await world().create('encounter', {
      owner: owner.id,
      location_privacy: 'obscured',
    });
    const queries = [
      ...['time=2021-03', 'time=2021-04', 'time=2021-03-31', 'time=2021-04-01', 'time=2021'],
      ...['time_min=2021-04-01', 'time_max=2021-03-31', 'time_min=2021-04-01T00:00Z'],
      ...['time_max=2021-03-31T23:59-07:00', 'time_min=2021-03-31T23:40-07:00'],
      ...['time_min=2021-03-31T20:00Z&time_max=2021-04-01T20:00Z', 'sort=time'],
    ];
    const asked = async (): Promise<unknown> => {
      await backgroundOf(world().service.strapi).workOff();
      return Promise.all(
        queries.map(async (query) => {
          const url = `/api/v0/search/encounter?id=${hidden}&${query}`;
          const answer = await world().send({ method: 'GET', url, headers: stranger });
          return [query, at(parsed(answer.text), 'matches')];
        }),
      );
    };
    const worlds: unknown[] = [];
    // Of the same month as they were written down, and of two months in UTC.
    for (const time of [
      '2021-03-31T23:30-07:00',
      '2021-03-01T00:30+14:00',
      '2021-03-15',
      '2021-03',
    ]) {
      await world().update('encounter', hidden, { time });
      worlds.push(await asked());
    }
    for (const other of worlds) expect(other).toEqual(worlds[0]);
    const url = `/api/v0/search/encounter?id=${hidden}&time=2021-03`;
    const found = await world().send({ method: 'GET', url, headers: stranger });
    expect(at(parsed(found.text), 'matches')).toEqual([hidden]);
    const read = await world().send({
      method: 'GET',
      url: `/api/v0/encounter/${hidden}`,
      headers: stranger,
    });
    expect(responseOf(read)['time']).toBe('2021-03');
  });
}
