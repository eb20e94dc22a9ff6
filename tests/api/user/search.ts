import type { Role } from '#app/core/caller';
import { ACCOUNTS, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { at, parsed } from '../../helpers/json';
import { play, runScenarios, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(1);

/** The search for users, on a shared service. */
export function testSearch(world: () => World): void {
  const url = '/api/v0/search/user';
  const [ANN, BEA] = [uuid(0xa1), uuid(0xb1)];
  const ALL = [ANN, BEA, ...Object.values(ACCOUNTS)].sort();
  /** Other tests of the service have accounts, too. */
  const OURS = `id=${ALL.join()}`;

  beforeAll(async () => {
    await openToRoles(world().service);
    const password = 'correct horse battery';
    await world().create('user', {
      id: ANN,
      name: 'Ann',
      email: 'Ann@example.org',
      username: 'annie',
      password,
    });
    await world().create('user', {
      id: BEA,
      name: 'Bea, B',
      email: 'bea@example.org',
      affiliation: 'Zoo',
      password,
    });
  });

  /** What a search finds for each of these. */
  const FINDS: readonly [Role, string, readonly string[]][] = [
    ['anonymous', `?${OURS}`, ALL],
    ['anonymous', '?name=Ann', [ANN]],
    ['anonymous', '?name=Ann,Bea%5C%2C%20B', [ANN, BEA]],
    ['anonymous', '?name=Nobody', []],
    ['anonymous', '?affiliation=null&name=Ann,Bea%5C%2C%20B', [ANN]],
    [
      'anonymous',
      `?role=moderator,administator&${OURS}`,
      [ACCOUNTS.moderator, ACCOUNTS.administrator].sort(),
    ],
    ['anonymous', `?id=${BEA.toUpperCase()}`, [BEA]],
    ['anonymous', '?version=1&name=Ann', []],
    ['administrator', '?version=1&name=Ann', [ANN]],
    ['anonymous', '?email=ann@example.org', []],
    ['anonymous', '?email=null', []],
    ['anonymous', '?username=annie', []],
    ['anonymous', '?blocked=false', []],
    ['anonymous', '?blocked=null', []],
    ['user', '?email=ann@example.org', []],
    ['user', '?email=USER@example.org', [ACCOUNTS.user]],
    ['user', '?email=ann@example.org,user@example.org', [ACCOUNTS.user]],
    ['user', '?blocked=false', []],
    ['moderator', '?email=ANN@example.org', [ANN]],
    ['moderator', '?username=annie', []],
    ['administrator', '?username=ANNIE', [ANN]],
    ['administrator', `?email_verified=true&${OURS}`, Object.values(ACCOUNTS).sort()],
  ];

  describe('a search for users', () => {
    test.each(FINDS)('by %s for "%s"', async (as, query, matches) => {
      const { text } = await play(world(), {
        name: query,
        as,
        method: 'GET',
        url: url + query,
        expect: {
          status: 200,
          response: { total: matches.length, total_is_exact: true, next: null },
        },
      });
      expect(at(parsed(text), 'matches')).toEqual(matches);
    });

    test('without a condition finds everybody', async () => {
      const rows = await world()
        .service.strapi.db.connection('up_users')
        .pluck<string[]>('document_id');
      const found: unknown[] = [];
      for (let next: string | null = ''; next !== null;) {
        const cursor = next === '' ? '' : `&cursor=${next}`;
        const { text } = await world().send({ method: 'GET', url: `${url}?limit=1000${cursor}` });
        found.push(...(at(parsed(text), 'matches') as unknown[]));
        expect(at(parsed(text), 'response', 'total')).toBe(rows.length);
        next = at(parsed(text), 'response', 'next') as string | null;
      }
      expect(found).toEqual(rows.sort());
    });

    test('goes on where the page before ended, and ends', async () => {
      const found: unknown[] = [];
      let next: unknown = '';
      for (let page = 0; page < 3; page += 1) {
        const query = `?${OURS}&limit=2${page === 0 ? '' : `&cursor=${String(next)}`}`;
        const { text } = await world().send({ method: 'GET', url: url + query });
        found.push(...(at(parsed(text), 'matches') as unknown[]));
        next = at(parsed(text), 'response', 'next');
      }
      expect(found).toEqual(ALL);
      expect(next).toBeNull();
    });

    const malformed = (
      query: string,
      ...invalid: NonNullable<Scenario['expect']['invalid']>
    ): Scenario => ({
      name: `is refused for ${query}`,
      method: 'GET',
      url: url + query,
      expect: { status: 400, key: 'MALFORMED', invalid },
    });

    runScenarios(world, [
      malformed('?nope=1', ['nope', 'UNKNOWN']),
      malformed('?password=x', ['password', 'UNKNOWN']),
      malformed('?current_password=x', ['current_password', 'UNKNOWN']),
      malformed('?sort=email', ['sort', 'NOT_ONE_OF']),
      malformed('?role=king&limit=1001', ['role', 'NOT_ONE_OF'], ['limit', 'TOO_LARGE']),
      malformed(
        '?version=x&id=y&cursor=z',
        ['version', 'TYPE'],
        ['id', 'FORMAT'],
        ['cursor', 'FORMAT'],
      ),
      malformed('?limit=x', ['limit', 'TYPE', { expected: 'integer' }]),
      malformed('?limit=-1', ['limit', 'TOO_SMALL', { value: -1, min: 0 }]),
      malformed('?limit=10000', ['limit', 'TOO_LARGE', { value: 10_000, max: 1000 }]),
      {
        name: 'only counts with the limit 0',
        method: 'GET',
        url: `${url}?limit=0&${OURS}`,
        expect: { status: 200, response: { total: ALL.length, limit: 0, next: null } },
      },
      {
        name: 'is 404 for a type that does not exist',
        method: 'GET',
        url: '/api/v0/search/nothing',
        expect: { status: 404, key: 'PATH_NOT_FOUND' },
      },
    ]);
  });
}
