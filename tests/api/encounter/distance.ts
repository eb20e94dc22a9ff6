import { randomUUID } from 'node:crypto';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { at, parsed, type Json } from '../../helpers/json';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import { distance } from '../../helpers/search-oracle';
import type { World } from '../../helpers/world';

/** The order of distances, on a shared service. */
export function testDistance(world: () => World): void {
  /** Nothing else has this, so that others do not count. */
  const country_code = 'AQ';
  const centre = [10, 179.95] as const;
  const PLACES: Json[] = [
    { latitude: 10, longitude: 179.95 },
    { latitude: 10.001, longitude: 179.95 },
    { latitude: 10, longitude: -179.96 },
    { latitude: 10, longitude: 179.7 },
    { latitude: 10.3, longitude: -179.9 },
    { latitude: 10, longitude: -179.96 },
    { latitude: 12, longitude: 179.95 },
    {},
  ];
  const made: (Json & { id: string })[] = [];

  beforeAll(async () => {
    await openToRoles(world().service);
    for (const place of PLACES)
      made.push({
        ...place,
        id: await world().create('encounter', {
          ...place,
          country_code,
          remarks: 'by distance',
          location_privacy: 'open',
        }),
      });
  });

  const search = async (query: string, headers = authorizationOf('moderator')) => {
    const url = `/api/v0/search/encounter?country_code=${country_code}&${query}`;
    const answer = await world().send({ method: 'GET', url, headers });
    return { status: answer.status, body: parsed(answer.text) };
  };
  const kilometers = ({ latitude, longitude }: Json): number =>
    distance(centre[0], centre[1], Number(latitude), Number(longitude));
  const near = `near=${centre.join()},150`;

  test.each(['', '&count=none', '&q=distance', '&q=distance&count=none', '&count=exact'])(
    'is that from the centre of `near`, page by page%s',
    async (beside) => {
      const inReach = made.filter((one) => kilometers(one) <= 150);
      for (const [sort, sign] of [
        ['distance', 1],
        ['-distance', -1],
      ] as const) {
        const expected = inReach.toSorted(
          (one, other) =>
            sign * (kilometers(one) - kilometers(other) || (one.id < other.id ? -1 : 1)),
        );
        const found: string[] = [];
        for (let next: string | null = ''; next !== null;) {
          const cursor = next === '' ? '' : `&cursor=${next}`;
          const { body } = await search(`${near}&sort=${sort}&limit=2${beside}${cursor}`);
          found.push(...(at(body, 'matches') as string[]));
          next = at(body, 'response', 'next') as string | null;
        }
        expect([sort, found]).toEqual([sort, expected.map(({ id }) => id)]);
      }
    },
  );

  test.each([
    ['sort=distance', 'near', 'REQUIRED'],
    ['sort=distance&near=1', 'near', 'FORMAT'],
    ['sort=distance,-distance&near=1,2,3', 'sort', 'CONFLICT'],
  ])('%s is malformed', async (query, path, key) => {
    const { status, body } = await search(query);
    const faults = (at(body, 'response', 'invalid') as Json[]).map((one) => [one.path, one.key]);
    expect([status, faults]).toEqual([400, [[path, `API_RESPONSE_${key}`]]]);
  });

  test('is that of the told position for a stranger', async () => {
    const stranger = bearer(await login(world(), await makePerson(world().service)));
    const owner = (await makePerson(world().service)).id;
    const label = randomUUID();
    const ids: string[] = [];
    // Of one cell, the corners of which are far from each other.
    for (const [latitude, longitude] of [
      [20.01, 30.01],
      [20.19, 30.19],
      [20.1, 30.1],
    ])
      ids.push(
        await world().create('encounter', {
          owner,
          latitude,
          longitude,
          behavior: label,
          location_privacy: 'obscured',
        }),
      );
    const order = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const url = `/api/v0/search/encounter?near=20,30,100&sort=distance&id=${ids.join()}`;
      return at(parsed((await world().send({ method: 'GET', url, headers })).text), 'matches');
    };
    expect(await order(stranger)).toEqual([...ids].sort());
    const [first, last, middle] = ids;
    expect(await order(authorizationOf('moderator'))).toEqual([first, middle, last]);
    const read = await world().send({
      method: 'GET',
      url: `/api/v0/encounter/${String(first)}`,
      headers: stranger,
    });
    expect(responseOf(read)).toMatchObject({ latitude: 20.1, longitude: 30.1 });
  });
}
