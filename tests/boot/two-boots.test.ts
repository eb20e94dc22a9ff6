import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boot } from '#app/boot/boot';
import { MARKER } from '#app/boot/installation';
import type { Lifecycle } from '#app/boot/lifecycle';
import { execute, query } from '../helpers/beside';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { blankEnvironment, setEnvironment } from '../helpers/environment';
import type { Json } from '../helpers/json';
import { runScript } from '../helpers/process';
import { freePort } from '../helpers/service';
import { story } from '../helpers/story';

const announce = (): void => undefined;

const OTHER = 'another secret, of more than 32 characters';

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

  const installation = (): Promise<Json[]> => query(database, 'select * from oms_installation');
  const marker = (): string => join(database.dataDir, 'public', 'uploads', MARKER);
  const run = async (script: string, env = {}, args: string[] = []): Promise<[unknown, string]> => {
    const process = await runScript(script, { ...database.env, ...env }, args);
    return [await process.ended, process.errors()];
  };

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
    // What Strapi's plugins do by the clock waits for a service.
    const running = service.strapi.cron.jobs.map(({ job }) => job.isRunning());
    expect(running).toContain(false);
    expect(running).not.toContain(true);
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

  story('cleans up, and knows secret and storage with which its database has been used', [
    [
      'a start marks both',
      async () => {
        const service = await boot({ announce });
        // What processes have left that are no more is removed.
        const incoming = join(database.dataDir, 'incoming');
        expect(readdirSync(incoming)).toEqual([String(process.pid)]);
        await service.close();
        expect(existsSync(join(incoming, String(process.pid)))).toBe(false);
        const [{ installation: name } = {}] = await installation();
        expect(readFileSync(marker(), 'utf8')).toBe(name);
      },
    ],
    [
      'another secret is refused, before anything is written',
      async () => {
        const before = await installation();
        expect(await run('start', { OMS_SECRET: OTHER })).toEqual([
          1,
          expect.stringMatching(/^OMS_SECRET is not the secret that the database has .*\n$/),
        ]);
        expect(await installation()).toEqual(before);
      },
    ],
    [
      'the folder of another database is refused',
      async () => {
        writeFileSync(marker(), randomUUID());
        expect(await run('start')).toEqual([
          1,
          expect.stringMatching(/^The folder .* is that of another database \(.*\n$/),
        ]);
      },
    ],
    [
      'who has moved the files, and has another secret, says so',
      async () => {
        const [before] = await installation();
        expect(await run('adopt-storage', { OMS_SECRET: OTHER })).toEqual([
          1,
          expect.stringMatching(/^OMS_SECRET is not the secret/),
        ]);
        expect(await run('adopt-storage', { OMS_SECRET: OTHER }, ['--secret'])).toEqual([0, '']);
        expect(readFileSync(marker(), 'utf8')).toBe(before?.['installation']);
        const [after] = await installation();
        expect(after).toEqual({
          ...before,
          secret: expect.not.stringMatching(String(before?.['secret'])) as unknown,
        });
        expect(await run('start')).toEqual([
          1,
          expect.stringMatching(/secrets\.json is not the secret/),
        ]);
        const secret = String(before?.['secret']);
        await execute(database, `update oms_installation set secret = '${secret}'`);
      },
    ],
  ]);

  test('writes its database to the configured place', () => {
    expect(existsSync(join(database.dataDir, 'db.sqlite'))).toBe(testDatabase === 'sqlite');
  });
});
