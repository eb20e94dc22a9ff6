// @databases sqlite postgres
import type { Service } from '#app/boot/boot';
import { anonymous, local } from '#app/core/caller';
import type { ApiError } from '#app/core/errors';
import { accountsOf } from '#app/plugins/accounts/server';
import { consume, type Limit } from '#app/plugins/accounts/server/throttle/counters';
import { databaseOf } from '#app/plugins/objects/server';
import { prepareBoots, type Boots } from '../helpers/boots';
import { startMailServer, type MailServer } from '../helpers/mail-server';
import { ANA, openPostOffice } from '../helpers/post-office';
import { until } from '../helpers/until';

const MINUTE = 60_000;
const LIMIT: Limit = { name: 'login', max: 10, seconds: 900 };
const NOW = Date.UTC(2026, 2, 9, 8);

/** What one start sees and does, in this order of starts: before a restart, and after it. */
interface Seen {
  readonly count: number;
  readonly logins: readonly number[];
  readonly warnings: number;
  readonly waiting: number;
}

describe('through a restart', () => {
  let server: MailServer;
  let boots: Boots;
  const seen: Seen[] = [];

  beforeAll(async () => {
    server = await startMailServer();
    await server.stop();
    boots = await prepareBoots({ SMTP_URL: server.url });
    for (const isAfter of [false, true]) {
      if (isAfter) await server.start();
      const service = await boots.start();
      const { count } = await databaseOf(service.strapi).write(() => consume('kept', LIMIT, NOW));
      const logins = await failLogins(service, isAfter ? 1 : 10);
      seen.push({ count, logins, ...(await deliver(service, isAfter)) });
      await service.close();
    }
  });
  afterAll(async () => {
    await server.stop();
    await boots.drop();
  });

  async function failLogins({ strapi }: Service, times: number): Promise<number[]> {
    const proof = { name: 'nobody', password: 'x' };
    const caller = { ...local(anonymous()), network: '10.0.0.0/24' };
    const found: number[] = [];
    for (let tries = 0; tries < times; tries += 1) {
      const login = accountsOf(strapi).authentication().login(proof, '', caller);
      found.push(
        await login.then(
          () => 200,
          ({ status }: ApiError) => status,
        ),
      );
    }
    return found;
  }

  /** Posts a mail before the restart, which cannot be sent; tries again a minute later, after it. */
  async function deliver(service: Service, isAfter: boolean) {
    const office = openPostOffice(service);
    if (isAfter) office.now += MINUTE;
    else await office.post({ kind: 'reset', to: { account: ANA.id } });
    const courier = office.courier();
    courier.start();
    await until('an attempt', () => server.received.length + office.lines.length === 1);
    await courier.stop();
    return { warnings: office.lines.length, waiting: (await office.rows()).length };
  }

  test('a throttle keeps its counts, and with them the failures of logins', () => {
    expect(seen.map(({ count }) => count)).toEqual([1, 2]);
    expect(seen.map(({ logins }) => logins)).toEqual([
      Array.from({ length: 10 }, () => 401),
      [429],
    ]);
  });

  test('a mail that could not be sent is kept, and then sent', () => {
    expect(seen.map(({ warnings, waiting }) => [warnings, waiting])).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(server.received.map(({ to }) => to)).toEqual([['ana@people.example.org']]);
  });
});
