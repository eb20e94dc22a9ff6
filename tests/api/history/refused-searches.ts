import { uuid } from '../../helpers/ids';
import { play, runScenarios, type Fault } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

/** Searches of the history that are refused, in a shared service. */
export function testRefusedSearches(world: () => World): void {
  test.each([
    ['anonymous', 401, 'LOGIN_REQUIRED'],
    ['user', 403, 'NOT_PERMITTED'],
    ['moderator', 403, 'NOT_PERMITTED'],
  ] as const)('is not for %s', async (role, status, key) => {
    for (const query of ['', '?nope=1'])
      await play(world(), {
        name: role,
        as: role,
        method: 'GET',
        url: `/api/v0/search/history${query}`,
        expect: { status, key },
      });
  });

  const malformed = (query: string, ...invalid: readonly Fault[]) => ({
    name: `is refused for ${query}`,
    as: 'administrator' as const,
    method: 'GET',
    url: `/api/v0/search/history?${query}`,
    expect: { status: 400, key: 'MALFORMED', invalid },
  });
  runScenarios(world, [
    malformed('nope=1&object=x', ['nope', 'UNKNOWN'], ['object', 'FORMAT', { expected: 'uuid' }]),
    malformed(`actor=${uuid(1)},${uuid(2)}`, ['actor', 'FORMAT']),
    malformed('actor=null', ['actor', 'FORMAT']),
    malformed('type=nothing&action=read', ['type', 'NOT_ONE_OF'], ['action', 'NOT_ONE_OF']),
    malformed('type=', ['type', 'NOT_ONE_OF']),
    malformed('type=__proto__', ['type', 'NOT_ONE_OF']),
    malformed(
      'at_min=yesterday&at_max=2021-02-30',
      ['at_min', 'FORMAT', { expected: 'edtf' }],
      ['at_max', 'FORMAT', { expected: 'edtf' }],
    ),
    malformed('limit=0', ['limit', 'TOO_SMALL', { value: 0, min: 1 }]),
    malformed('limit=1001&cursor=1', ['limit', 'TOO_LARGE'], ['cursor', 'FORMAT']),
    malformed('limit=x', ['limit', 'TYPE', { expected: 'integer' }]),
    malformed('sort=at', ['sort', 'UNKNOWN']),
  ]);
}
