// @databases sqlite postgres
import { accountsOf } from '#app/plugins/accounts/server';
import { consume, type Limit } from '#app/plugins/accounts/server/throttle/counters';
import { anonymous, local } from '#app/core/caller';
import type { ApiError } from '#app/core/errors';
import { databaseOf } from '#app/plugins/objects/server';
import { prepareBoots } from '../helpers/boots';
import { useService } from '../helpers/service';
import { testThrottle } from './stored-limits/throttle';
import { testTokens } from './stored-limits/tokens';

const LIMIT: Limit = { name: 'login', max: 10, seconds: 900 };
const NOW = Date.UTC(2026, 2, 9, 8);

describe('on one service', () => {
  const service = useService({ listen: false });

  describe('counts', () => testThrottle(service));
  describe('tokens', () => testTokens(service));
});

test('a throttle keeps its counts through a restart, and with them the failures of logins', async () => {
  const boots = await prepareBoots();
  const counts: number[] = [];
  const refusals: number[][] = [];
  for (const failures of [10, 1]) {
    const service = await boots.start();
    const { strapi } = service;
    const { count } = await databaseOf(strapi).write(() => consume('kept', LIMIT, NOW));
    counts.push(count);
    const proof = { name: 'nobody', password: 'x' };
    const caller = { ...local(anonymous()), network: '10.0.0.0/24' };
    const found: number[] = [];
    for (let tries = 0; tries < failures; tries += 1) {
      const login = accountsOf(strapi).authentication().login(proof, '', caller);
      found.push(
        await login.then(
          () => 200,
          ({ status }: ApiError) => status,
        ),
      );
    }
    refusals.push(found);
    await service.close();
  }
  await boots.drop();
  expect(counts).toEqual([1, 2]);
  expect(refusals).toEqual([Array.from({ length: 10 }, () => 401), [429]]);
});
