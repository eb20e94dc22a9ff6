// @databases sqlite postgres
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MARKER } from '#app/boot/installation';
import { assetsOf } from '#app/plugins/assets/server';
import { LOOSE_FOR } from '#app/plugins/assets/server/housekeeping';
import { GRACE } from '#app/plugins/assets/server/ledger';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { testDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { parsed } from '../helpers/json';
import { responseOf } from '../helpers/people';
import { startS3, type S3Server } from '../helpers/s3-server';
import { photograph, uploadRequest } from '../helpers/upload';
import { startWorld, type World } from '../helpers/world';
import { testBackup } from './asset-files/backup';
import { testCheck } from './asset-files/check';
import { testInstallation } from './asset-files/installation';
import { testUnique } from './asset-files/unique';

const user = authorizationOf('user');
const NAMES = ['', '-large.webp', '-small.webp', '-thumbnail.webp'];

/** What is beside the database is the same for both. */
const PLACES = testDatabase === 'sqlite' ? ['local files', 'S3'] : ['local files'];

describe.each(PLACES)('in %s', (place) => {
  let world: World;
  let s3: S3Server | null = null;

  beforeAll(async () => {
    if (place === 'S3') s3 = await startS3();
    world = await startWorld({ as: 'user', env: s3?.env ?? {} });
    await openToRoles(world.service);
  });
  afterAll(async () => {
    await world.service.close();
    await s3?.close();
  });

  const folder = (): string => join(world.service.dataDir, 'public', 'uploads');
  const stored = (): string[] => (s3 ? s3.names() : readdirSync(folder())).sort();
  const files = (): string[] => stored().filter((name) => name !== MARKER);
  const pathOf = (name: string): string => s3?.fileOf(name) ?? join(folder(), name);
  const removeFile = (name: string): Promise<void> =>
    s3 ? s3.remove(name) : rm(join(folder(), name));
  const knex = () => world.service.strapi.db.connection;

  const sweep = (now?: number): Promise<void> => assetsOf(world.service.strapi).sweep(now);
  const get = (id: string, query = '', headers: Readonly<Record<string, string>> = {}) =>
    world.send({
      method: 'GET',
      url: `/api/v0/asset/${id}/file${query}`,
      headers: { ...user, ...headers },
    });

  async function added(bytes?: Buffer): Promise<string> {
    const request = uploadRequest({ bytes: bytes ?? (await photograph(1000, 700)) }, user);
    return String(responseOf(await world.send(request))['id']);
  }
  const filesOf = async (id: string): Promise<string> => {
    const row = (await knex()('assets').where({ document_id: id }).first()) as { file_key: string };
    return row.file_key;
  };

  testInstallation(() => world, pathOf);

  testCheck(() => world, { names: files, pathOf });

  testBackup(() => world, { names: files, pathOf, isLocal: place !== 'S3' });

  test('an asset has four files, under a name that tells nothing', async () => {
    const id = await added();
    const key = await filesOf(id);
    expect(key).not.toBe(id);
    expect(files()).toEqual(expect.arrayContaining(NAMES.map((name) => key + name)));
    expect(s3 ? readdirSync(folder()) : []).toEqual([]);
  });

  describe('bytes', () => {
    let id = '';
    let bytes: Buffer;
    beforeAll(async () => {
      bytes = await photograph(1500, 900);
      id = await added(bytes);
    });

    test('come whole, with what a browser has to know', async () => {
      const answer = await get(id);
      expect(answer.bytes.equals(bytes)).toBe(true);
      expect(answer.headers).toMatchObject({
        'content-type': 'image/jpeg',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        'content-disposition': `attachment; filename="photo.jpg"; filename*=UTF-8''photo.jpg`,
        'cross-origin-resource-policy': 'same-site',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        etag: expect.stringMatching(/^"[\w-]+"$/) as string,
      });
      const small = await get(id, '?size=small');
      expect(small.headers['content-disposition']).toBe(`inline; filename="${id}-small.webp"`);
      expect(small.headers['content-type']).toBe('image/webp');
    });

    test('come in ranges', async () => {
      const { length } = bytes;
      const ranges: readonly [string, number, number][] = [
        // The server of these tests takes 0-0 for all.
        ...(s3 ? [] : [['bytes=0-0', 0, 0] as [string, number, number]]),
        ['bytes=5-9', 5, 9],
        [`bytes=${length - 3}-`, length - 3, length - 1],
        ['bytes=-4', length - 4, length - 1],
        [`bytes=10-${length + 99}`, 10, length - 1],
        ['bytes=-99999999', 0, length - 1],
      ];
      for (const [range, start, end] of ranges) {
        const part = await get(id, '', { Range: range });
        expect([range, part.status, part.headers['content-range']]).toEqual([
          range,
          206,
          `bytes ${start}-${end}/${length}`,
        ]);
        expect(part.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
      }
      for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=-', 'bytes=9-5'])
        expect([range, (await get(id, '', { Range: range })).bytes.length]).toEqual([
          range,
          length,
        ]);
      for (const range of [`bytes=${length}-`, 'bytes=-0']) {
        const answer = await get(id, '', { Range: range });
        expect([range, answer.status, answer.headers['content-range']]).toEqual([
          range,
          416,
          `bytes */${length}`,
        ]);
      }
    });

    test('are not sent again to who has them', async () => {
      const { headers } = await get(id);
      const etag = String(headers.etag);
      const again = await get(id, '', { 'If-None-Match': etag });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
      const tags = [etag];
      for (const size of ['thumbnail', 'small', 'large'])
        tags.push(String((await get(id, `?size=${size}`)).headers.etag));
      expect(new Set(tags).size).toBe(4);
      const range = { Range: 'bytes=0-3' };
      expect((await get(id, '', { ...range, 'If-Range': etag })).status).toBe(206);
      expect((await get(id, '', { ...range, 'If-Range': '"other"' })).status).toBe(200);
    });

    test('are told of without being sent', async () => {
      const url = `/api/v0/asset/${id}/file`;
      const answer = await world.send({ method: 'HEAD', url, headers: user });
      expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([
        200,
        '',
        String(bytes.length),
      ]);
    });

    test('may be kept by others only where anybody is given them', async () => {
      const asked = async (query: string, headers = {}): Promise<unknown> => {
        const url = `/api/v0/asset/${id}/file${query}`;
        return (await world.send({ method: 'GET', url, headers })).headers['cache-control'];
      };
      const body = { assets: [id] };
      const report = { method: 'POST', url: '/api/v0/encounter', headers: user, body };
      const encounter = String(responseOf(await world.send(report))['id']);
      expect(await asked('?size=small')).toBe('public, max-age=300');
      expect(await asked('')).toBe('private, no-cache');
      expect(await asked('?size=small', user)).toBe('private, no-cache');
      await world.send({ method: 'DELETE', url: `/api/v0/encounter/${encounter}`, headers: user });
      expect(await asked('?size=small')).toBe('no-store');
    });

    test('of another size are asked for by name', async () => {
      expect((await get(id, '?size=huge')).status).toBe(400);
      expect((await get(id, '?width=5')).status).toBe(400);
    });
  });

  describe('what the storage has lost', () => {
    /** The status of the bytes, and what the log says meanwhile. */
    async function told(id: string, query = ''): Promise<[number, unknown[]]> {
      const spy = jest.spyOn(world.service.strapi.log, 'error').mockReturnThis();
      const { status } = await get(id, query);
      const lines = (spy.mock.calls as unknown[][]).map(([, about]) => about);
      spy.mockRestore();
      return [status, lines];
    }

    test('is told, in the log too', async () => {
      const id = await added();
      const name = `${await filesOf(id)}-small.webp`;
      await removeFile(name);
      const line = { event: 'asset_file_missing', reason: `${name} of ${id}` };
      expect(await told(id, '?size=small')).toEqual([402, [line]]);
      expect((await get(id, '?size=large')).status).toBe(200);
    });

    test('counts as lost when it is the end of a file', async () => {
      const id = await added(Buffer.concat([await photograph(), Buffer.alloc(900_000)]));
      await truncate(pathOf(await filesOf(id)), 700_000);
      const [status, lines] = await told(id);
      expect([status, lines]).toMatchObject([402, [{ event: 'asset_file_missing' }]]);
      const end = await get(id, '', { Range: 'bytes=-5' });
      expect(end.status).toBe(402);
    });

    test('may come back when it is the storage that cannot be read', async () => {
      const id = await added();
      const file = pathOf(await filesOf(id));
      await rm(file);
      await mkdir(file);
      const [status, lines] = await told(id);
      expect([status, lines]).toMatchObject([503, [{ event: 'asset_storage_away' }]]);
      await rm(file, { recursive: true });
      await writeFile(file, 'bytes');
    });
  });

  test('the files of an asset that is deleted go, after it', async () => {
    const id = await added();
    const key = await filesOf(id);
    const { storage } = assetsOf(world.service.strapi);
    const rows: unknown[] = [];
    const remove = storage.remove.bind(storage);
    const spy = jest.spyOn(storage, 'remove').mockImplementation(async (name) => {
      rows.push(await knex()('assets').where({ document_id: id }).first());
      await remove(name);
    });
    await world.send({ method: 'DELETE', url: `/api/v0/asset/${id}`, headers: user });
    await assetsOf(world.service.strapi).sweep();
    spy.mockRestore();
    expect(rows).toEqual([undefined, undefined, undefined, undefined]);
    expect(files().filter((name) => name.startsWith(key))).toEqual([]);
    expect(await knex()('oms_asset_files').select('*')).toEqual([]);
  });

  test('what a crash has left between files and row is swept up', async () => {
    const key = randomUUID();
    const { storage } = assetsOf(world.service.strapi);
    const file = join(world.service.dataDir, 'a-file');
    await writeFile(file, 'bytes');
    for (const name of NAMES) await storage.put(key + name, file, 'image/webp');
    await knex()('oms_asset_files').insert({ files: key, due_at: Date.now() + 60_000 });
    const left = (): string[] => files().filter((name) => name.startsWith(key));
    await sweep();
    expect(left()).toHaveLength(4);
    await sweep(Date.now() + 120_000);
    expect(left()).toEqual([]);
    expect(await knex()('oms_asset_files').select('*')).toEqual([]);
  });

  test('a file that cannot be removed keeps no other from it, and is tried again', async () => {
    const [stuck, other] = [randomUUID(), randomUUID()];
    const { storage } = assetsOf(world.service.strapi);
    const file = join(world.service.dataDir, 'a-file');
    await writeFile(file, 'bytes');
    for (const key of [stuck, other]) await storage.put(key, file, 'image/jpeg');
    await rm(pathOf(stuck));
    await mkdir(pathOf(stuck));
    const now = Date.now();
    const due = [stuck, other].map((key, n) => ({ files: key, due_at: now - 2 + n }));
    await knex()('oms_asset_files').insert(due);
    const spy = jest.spyOn(world.service.strapi.log, 'error').mockReturnThis();
    await sweep(now);
    expect(spy).toHaveBeenCalledWith(expect.stringContaining(stuck));
    spy.mockRestore();
    const left = async () => (await knex()('oms_asset_files').select('files')) as unknown[];
    expect([await left(), files().includes(other)]).toEqual([[{ files: stuck }], false]);
    await rm(pathOf(stuck), { recursive: true });
    await writeFile(pathOf(stuck), 'bytes');
    await sweep(now + GRACE);
    expect([await left(), files().includes(stuck)]).toEqual([[], false]);
  });

  test('an asset that nothing refers to goes after seven days, counted from when it was so', async () => {
    const [loose, kept] = [await added(), await added()];
    const body = { assets: [kept] };
    const report = { method: 'POST', url: '/api/v0/encounter', headers: user, body };
    const encounter = String(responseOf(await world.send(report))['id']);
    const now = Date.now();
    await sweep(now);
    await sweep(now + LOOSE_FOR - 1);
    expect([(await get(loose)).status, (await get(kept)).status]).toEqual([200, 200]);
    const key = await filesOf(loose);
    await sweep(now + LOOSE_FOR);
    expect([(await get(loose)).status, (await get(kept)).status]).toEqual([402, 200]);
    expect(files().filter((name) => name.startsWith(key))).toEqual([]);
    await world.send({ method: 'DELETE', url: `/api/v0/encounter/${encounter}`, headers: user });
    await sweep(now + LOOSE_FOR + 1);
    await sweep(now + 2 * LOOSE_FOR);
    expect((await get(kept)).status).toBe(200);
    await sweep(now + 2 * LOOSE_FOR + 1);
    expect((await get(kept)).status).toBe(402);
  });

  if (place === 'S3')
    test('a bucket that does not answer makes the service unready, and keeps nothing', async () => {
      const id = await added();
      const bucket = s3?.bucket ?? '';
      const ready = () => send(world.service.url, { method: 'GET', url: '/_health/ready' });
      const later = () => jest.spyOn(Date, 'now').mockReturnValue((now += 2000));
      let now = Date.now();
      expect((await ready()).status).toBe(200);
      const before = await knex()('assets').count();
      await rename(bucket, `${bucket}-away`);
      const errors = jest.spyOn(world.service.strapi.log, 'error').mockReturnThis();
      const clock = later();
      const { status, text } = await ready();
      expect([status, parsed(text)]).toMatchObject([503, { checks: { storage: false } }]);
      const request = uploadRequest({ bytes: await photograph() }, user);
      expect([(await get(id)).status, (await world.send(request)).status]).toEqual([503, 503]);
      expect(await knex()('assets').count()).toEqual(before);
      await rename(`${bucket}-away`, bucket);
      later();
      expect([(await ready()).status, (await get(id)).status]).toEqual([200, 200]);
      clock.mockRestore();
      errors.mockRestore();
      await sweep(now + GRACE);
      expect(await knex()('oms_asset_files').select('*')).toEqual([]);
    });

  test('nothing of it is served by another address', async () => {
    const id = await added();
    const key = await filesOf(id);
    for (const url of [
      `/uploads/${key}`,
      `/uploads/${key}-small.webp`,
      `/api/upload/files`,
      `/upload/files`,
    ]) {
      const response = await fetch(world.service.url + url);
      const text = await response.text();
      expect([url, response.status === 200 && !text.startsWith('<')]).toEqual([url, false]);
      expect(text).not.toContain('WEBP');
    }
  });

  if (place === 'local files') testUnique(() => world);
});
