// @databases sqlite postgres
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetsOf } from '#app/plugins/assets/server';
import { LOOSE_FOR } from '#app/plugins/assets/server/housekeeping';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { responseOf } from '../helpers/people';
import { startS3, type S3Server } from '../helpers/s3-server';
import { photograph, uploadRequest } from '../helpers/upload';
import { startWorld, type World } from '../helpers/world';

const user = authorizationOf('user');
const NAMES = ['', '-large.webp', '-small.webp', '-thumbnail.webp'];

describe.each(['local files', 'S3'])('in %s', (place) => {
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
  const files = (): string[] => (s3 ? s3.names() : readdirSync(folder())).sort();
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

  test('a file that has vanished is told, in the log too', async () => {
    const id = await added();
    await removeFile(`${await filesOf(id)}-small.webp`);
    const spy = jest.spyOn(world.service.strapi.log, 'error').mockReturnThis();
    const answer = await get(id, '?size=small');
    const lines = spy.mock.calls.map((call) => JSON.stringify(call));
    spy.mockRestore();
    expect(answer.status).toBe(402);
    expect(lines).toEqual([expect.stringContaining('asset_file_missing')]);
    expect((await get(id, '?size=large')).status).toBe(200);
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
});

test('what processes have left that are no more is removed at the start', async () => {
  const world = await startWorld({});
  const incoming = join(world.service.dataDir, 'incoming');
  expect(readdirSync(incoming)).toEqual([String(process.pid)]);
  await world.service.close();
  expect(existsSync(join(incoming, String(process.pid)))).toBe(false);
});
