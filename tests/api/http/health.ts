import { registryOf } from '#app/plugins/objects/server';
import type { Lifecycle } from '#app/boot/lifecycle';
import { rename, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { send, type Answer } from '../../helpers/http';
import { parsed } from '../../helpers/json';
import type { World } from '../../helpers/world';

/** The health checks, on a shared service. */
export function testHealth(world: () => World): void {
  const get = (url: string, method = 'GET'): Promise<Answer> =>
    send(world().service.url, { method, url });

  const FINE = { database: true, storage: true, photographs: true, draining: false, release: true };

  describe('/_health', () => {
    test('answers that the process is running, without the envelope', async () => {
      const { status, headers, text } = await get('/_health');
      expect([status, parsed(text)]).toEqual([200, { status: 'ok' }]);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
    });

    test.each(['/_health', '/_health/ready'])('%s answers HEAD without a body', async (url) => {
      expect(await get(url, 'HEAD')).toMatchObject({ status: 200, text: '' });
    });

    test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('has no %s', async (method) => {
      const { status, headers } = await get('/_health', method);
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    });
  });

  describe('/_health/ready', () => {
    test('answers the result of each check', async () => {
      const { status, text } = await get('/_health/ready');
      expect([status, parsed(text)]).toEqual([200, { status: 'ok', checks: FINE }]);
    });

    async function expectUnready(checks: Partial<typeof FINE>): Promise<void> {
      const { status, text } = await get('/_health/ready');
      const expected = { status: 'unavailable', checks: { ...FINE, ...checks } };
      expect([status, parsed(text)]).toEqual([503, expected]);
      expect((await get('/_health')).status).toBe(200);
    }

    test('is 503 while the database does not answer', async () => {
      const { database } = registryOf(world().service.strapi).model();
      const spy = jest.spyOn(database, 'read').mockRejectedValue(new Error('away'));
      await expectUnready({ database: false });
      spy.mockRestore();
      expect((await get('/_health/ready')).status).toBe(200);
    });

    test('is 503 while files cannot be stored', async () => {
      const folder = join(world().service.dataDir, 'public', 'uploads');
      const aSecondLater = () => jest.spyOn(Date, 'now').mockReturnValue((later += 1000));
      let later = Date.now();
      await rename(folder, `${folder}-away`);
      await writeFile(folder, '');
      const clock = aSecondLater();
      await expectUnready({ storage: false });
      await rm(folder);
      await rename(`${folder}-away`, folder);
      aSecondLater();
      expect((await get('/_health/ready')).status).toBe(200);
      clock.mockRestore();
    });

    test('is 503 while the service goes down', async () => {
      const lifecycle = world().service.strapi.config.get<Lifecycle>('oms.lifecycle');
      lifecycle.draining = true;
      await expectUnready({ draining: true });
      lifecycle.draining = false;
    });

    test('is 503 once a later release has migrated the database, and all other paths, too', async () => {
      const lifecycle = world().service.strapi.config.get<Lifecycle>('oms.lifecycle');
      lifecycle.isOutdated = true;
      try {
        await expectUnready({ release: false });
        for (const url of ['/api/v0/session', '/admin', '/locales/en/translation.json']) {
          const { status, headers, text } = await get(url);
          expect([url, status, headers['retry-after']]).toEqual([url, 503, '5']);
          expect(parsed(text)).toMatchObject({ success: false });
        }
      } finally {
        lifecycle.isOutdated = false;
      }
    });
  });
}
