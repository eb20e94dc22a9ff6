// @databases sqlite postgres
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { testVersionsInPlace } from './restart/versions-in-place';

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

const makeFile = (path: string): void => writeFileSync(path, 'an original', { mode: 0o666 });

/** Lets everybody read the data directory, as one is that was there before the first start. */
function openToOthers(dataDir: string): void {
  const folder = join(dataDir, 'public', 'uploads');
  makeFile(join(folder, 'photograph'));
  chmodSync(join(folder, 'photograph'), 0o644);
  for (const path of [folder, join(dataDir, 'public'), dataDir]) chmodSync(path, 0o755);
}

/** The files and folders of a directory that others may read. */
function openIn(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return ['.', ...below].filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
}

describe('through a restart', () => {
  let server: MailServer;
  let boots: Boots;
  const seen: Seen[] = [];
  /** What others may read at the end. */
  const open: string[] = [];

  beforeAll(async () => {
    server = await startMailServer();
    await server.stop();
    boots = await prepareBoots({ SMTP_URL: server.url });
    for (const isAfter of [false, true]) {
      if (isAfter) {
        await server.start();
        openToOthers(boots.dataDir);
      }
      const service = await boots.start();
      const { count } = await databaseOf(service.strapi).write(() => consume('kept', LIMIT, NOW));
      const logins = await failLogins(service, isAfter ? 1 : 10);
      seen.push({ count, logins, ...(await deliver(service, isAfter)) });
      if (isAfter) {
        await until('all files are closed to others', () => openIn(boots.dataDir).length === 0);
        makeFile(join(boots.dataDir, 'public', 'uploads', 'later'));
        open.push(...openIn(boots.dataDir));
      }
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

  test('what others could read in the data directory is closed to them, and what is written later', () => {
    expect(open).toEqual([]);
  });

  test('a mail that could not be sent is kept, and then sent', () => {
    expect(seen.map(({ warnings, waiting }) => [warnings, waiting])).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(server.received.map(({ to }) => to)).toEqual([['ana@people.example.org']]);
  });
});

describe('other code than the one before', () => testVersionsInPlace((one) => one.start()));
