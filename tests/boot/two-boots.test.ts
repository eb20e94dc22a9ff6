import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { boot } from '#app/boot/boot';
import type { Lifecycle } from '#app/boot/lifecycle';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { blankEnvironment, setEnvironment } from '../helpers/environment';
import { freePort } from '../helpers/service';

const announce = (): void => undefined;

describe('the service in a process of somebody else', () => {
  let database: FreshDatabase;
  let restore: () => void;

  beforeAll(async () => {
    database = await freshDatabase();
    const port = String(await freePort());
    restore = setEnvironment({
      ...blankEnvironment,
      LOG_LEVEL: 'silent',
      ...database.env,
      PORT: port,
    });
  });
  afterAll(async () => {
    restore();
    await database.drop();
  });

  test('starts twice, one after the other, takes no setting of the one before, and leaves the listeners of the process alone', async () => {
    const signal = jest.fn();
    process.on('SIGUSR2', signal);
    const count = (): number[] =>
      ['SIGTERM', 'SIGINT', 'SIGUSR2'].map((name) => process.listenerCount(name));
    const before = count();
    const secure: unknown[] = [];
    for (const PUBLIC_URL of ['https://oms.example.org', '']) {
      const unset = setEnvironment({ PUBLIC_URL });
      const service = await boot({ announce });
      try {
        expect((await fetch(`${service.url}/_health`)).ok).toBe(true);
        expect(count()).toEqual(before);
        secure.push(service.strapi.config.get('admin.auth.cookie.secure'));
      } finally {
        await service.close();
        unset();
      }
      expect(count()).toEqual(before);
    }
    expect(secure).toEqual([true, null]);
    process.off('SIGUSR2', signal);
  });

  test('marks that it is going down, and goes down once, where it does not listen', async () => {
    const service = await boot({ listen: false, announce });
    expect(service.url).toBeNull();
    const lifecycle = service.strapi.config.get<Lifecycle>('oms.lifecycle');
    expect(lifecycle.draining).toBe(false);
    await Promise.all([service.close(), service.close()]);
    expect(lifecycle.draining).toBe(true);
  });

  test('refuses a second one beside it on SQLite, and the first goes on', async () => {
    const service = await boot({ announce });
    if (testDatabase === 'sqlite') {
      await expect(boot({ listen: false, announce })).rejects.toThrow(
        'is in use by another process',
      );
    }
    await expect(boot({ announce })).rejects.toThrow(/^Port \d+ of 127\.0\.0\.1 is taken/);
    expect((await fetch(`${service.url}/_health`)).ok).toBe(true);
    await service.close();
  });

  test('removes at the start what processes have left that are no more', async () => {
    const service = await boot({ announce });
    const incoming = join(database.dataDir, 'incoming');
    expect(readdirSync(incoming)).toEqual([String(process.pid)]);
    await service.close();
    expect(existsSync(join(incoming, String(process.pid)))).toBe(false);
  });

  test('writes its database to the configured place', () => {
    expect(existsSync(join(database.dataDir, 'db.sqlite'))).toBe(testDatabase === 'sqlite');
  });
});
