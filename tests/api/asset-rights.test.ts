// @databases sqlite postgres
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { siteOf } from '#app/plugins/objects/server';
import { USER_UID } from '#app/plugins/accounts/server/users/account';
import { documentsOf } from '../helpers/documents';
import type { Answer } from '../helpers/http';
import { testDatabase } from '../helpers/database';
import { at, parsed, type Json } from '../helpers/json';
import { loggedDuring } from '../helpers/log';
import { historyOf } from '../helpers/snapshot';
import { ask, bearer, login, makePerson, responseOf, withSite } from '../helpers/people';
import { photograph, uploadRequest } from '../helpers/upload';
import { useWorld } from '../helpers/world';
import { describeCards } from './asset-rights/cards';
import { describeClaims } from './asset-rights/claims';
import { describeCrowd } from './asset-rights/crowd';
import { describePhotographs } from './asset-rights/photographs';

const world = useWorld({ site: { anonymous_encounters: true } });

interface Somebody {
  readonly id: string;
  readonly secret: string;
}

async function somebody(role: 'user' | 'moderator' = 'user'): Promise<Somebody> {
  const person = await makePerson(world().service, { role });
  return { id: person.id, secret: await login(world(), person) };
}

const as = ({ secret }: Somebody, method: string, path: string, body?: Json): Promise<Answer> =>
  ask(world(), method, path, secret, body);

async function uploadAs({ secret }: Somebody): Promise<string> {
  const request = uploadRequest({ bytes: await photograph(60, 40) }, bearer(secret));
  return String(responseOf(await world().send(request))['id']);
}

/** A photograph that says when and where it was taken. */
async function photographTaken(time: string, offset: string): Promise<Buffer> {
  const exif = {
    IFD2: { DateTimeOriginal: time, OffsetTimeOriginal: offset },
    IFD3: {
      GPSLatitudeRef: 'S',
      GPSLatitude: '1/1 30/1 0/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '35/1 15/1 0/1',
    },
  };
  return sharp(await photograph(60, 40))
    .withExif(exif)
    .jpeg()
    .toBuffer();
}

const encounterOf = async (who: Somebody, body: Json): Promise<string> =>
  String(responseOf(await as(who, 'POST', 'encounter', body))['id']);

const get = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  world().send({ method: 'GET', url, headers });

/** The statuses of an asset and of its bytes, for these callers. */
async function seen(asset: string, ...callers: readonly (Somebody | null)[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const caller of callers) {
    const headers = caller ? bearer(caller.secret) : {};
    const read = await get(`/api/v0/asset/${asset}`, headers);
    const file = await get(`/api/v0/asset/${asset}/file?size=small`, headers);
    expect([asset, file.status]).toEqual([asset, read.status]);
    statuses.push(read.status);
  }
  return statuses;
}

let [owner, stranger, moderator] = [] as unknown as [Somebody, Somebody, Somebody];
beforeAll(async () => {
  [owner, stranger, moderator] = [await somebody(), await somebody(), await somebody('moderator')];
});

describe('who may read an asset', () => {
  test('is its owner, and whoever may read an encounter with it, also when that changes', async () => {
    const asset = await uploadAs(owner);
    expect(await seen(asset, owner, moderator, stranger, null)).toEqual([200, 200, 402, 402]);
    const encounter = await encounterOf(owner, { assets: [asset] });
    expect(await seen(asset, owner, stranger, null)).toEqual([200, 200, 200]);
    const knex = world().service.strapi.db.connection;
    const decide = (state: string) =>
      knex('encounters').where({ document_id: encounter }).update({ state });
    await decide('rejected');
    expect(await seen(asset, owner, stranger, null)).toEqual([200, 402, 402]);
    await decide('approved');
    await withSite(world().service, { readers: 'users' }, async () => {
      expect(await seen(asset, stranger, null)).toEqual([200, 402]);
    });
    await as(owner, 'PUT', `encounter/${encounter}`, { assets: [] });
    expect(await seen(asset, owner, stranger, null)).toEqual([200, 402, 402]);
  });

  test("of a user's photograph is anyone, where the site is for users alone too", async () => {
    const asset = await uploadAs(owner);
    const photo = { photo_id: `/api/v0/asset/${asset}/file` };
    await as(owner, 'PUT', `user/${owner.id}`, photo);
    await withSite(world().service, { readers: 'users' }, async () => {
      expect(await seen(asset, stranger, null)).toEqual([200, 200]);
    });
    await as(owner, 'PUT', `user/${owner.id}`, { photo_id: null });
    expect(await seen(asset, stranger, null)).toEqual([402, 402]);
  });

  test('tells a stranger nothing of where, when and by what it was taken', async () => {
    const asset = await uploadAs(owner);
    await encounterOf(owner, { assets: [asset] });
    const whole = responseOf(await as(owner, 'GET', `asset/${asset}`));
    const theirs = responseOf(await as(stranger, 'GET', `asset/${asset}`));
    const hidden = Object.keys(whole).filter((name) => !(name in theirs));
    expect(hidden.sort()).toEqual([
      'camera',
      'created_at',
      'filename',
      'latitude',
      'location_privacy',
      'longitude',
      'mime_type',
      'sha256',
      'size',
      'taken_at',
      'updated_at',
      'version',
      'withheld',
      'withheld_by',
    ]);
    expect(theirs).toMatchObject({ permissions: [], alt_text: null, owner: owner.id });
  });

  test('gets the original as owner and moderator alone', async () => {
    const asset = await uploadAs(owner);
    await encounterOf(owner, { assets: [asset] });
    const types: unknown[] = [];
    for (const headers of [
      bearer(owner.secret),
      bearer(moderator.secret),
      bearer(stranger.secret),
      {},
    ])
      types.push((await get(`/api/v0/asset/${asset}/file`, headers)).headers['content-type']);
    expect(types).toEqual(['image/jpeg', 'image/jpeg', 'image/webp', 'image/webp']);
  });
});

describe('to attach an asset', () => {
  test('that one may read and not update is as if there were none', async () => {
    const asset = await uploadAs(owner);
    await encounterOf(owner, { assets: [asset] });
    expect(await seen(asset, stranger)).toEqual([200]);
    for (const [path, body, at_] of [
      ['encounter', { assets: [asset] }, 'assets.0'],
      [`user/${stranger.id}`, { photo_id: `/api/v0/asset/${asset}/file` }, 'photo_id'],
    ] as const) {
      const answer = await as(stranger, path === 'encounter' ? 'POST' : 'PUT', path, body);
      const [fault] = (at(parsed(answer.text), 'response', 'invalid') ?? []) as Json[];
      expect([answer.status, fault]).toEqual([
        400,
        { path: at_, key: 'API_RESPONSE_NO_SUCH', args: { type: 'asset' } },
      ]);
    }
  });

  test('is refused beside others who may attach it', async () => {
    const asset = await uploadAs(owner);
    const callers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? owner : stranger));
    const answers = await Promise.all(
      callers.map((who) => as(who, 'POST', 'encounter', { assets: [asset] })),
    );
    for (const [n, who] of callers.entries()) {
      const { status, text } = answers[n] as Answer;
      expect([n, status]).toEqual([n, who === owner ? 200 : 400]);
      if (status !== 200) continue;
      const made = String(at(parsed(text), 'response', 'id'));
      const read = await as(who, 'GET', `encounter/${made}`);
      expect(responseOf(read)).toMatchObject({ owner: owner.id, assets: [asset] });
    }
  });

  test('gives a new encounter its time and place, where that is asked for and nothing else is said', async () => {
    const bytes = await photographTaken('2011:06:03 14:05:00', '+03:00');
    const sent = await world().send(uploadRequest({ bytes }, bearer(owner.secret)));
    const assets = [String(responseOf(sent)['id']), await uploadAs(owner)];
    const made = async (body: Json, who = owner): Promise<Json> => {
      const encounter = await encounterOf(who, { assets, from_assets: true, ...body });
      const read = responseOf(await as(who, 'GET', `encounter/${encounter}`));
      return { time: read['time'], latitude: read['latitude'], longitude: read['longitude'] };
    };
    const [time, latitude, longitude] = ['2011-06-03T14:05:00+03:00', -1.5, 35.25];
    expect(await made({})).toEqual({ time, latitude, longitude });
    expect(await made({ time: '2011-06' })).toEqual({ time: '2011-06', latitude, longitude });
    expect(await made({ latitude: 1, longitude: 2 })).toEqual({ time, latitude: 1, longitude: 2 });
    const nothing = { time: null, latitude: null, longitude: null };
    for (const body of [{ from_assets: false }, { assets: [...assets].reverse() }, { assets: [] }])
      expect(await made(body)).toEqual(nothing);
    const half = await as(owner, 'POST', 'encounter', { assets, from_assets: true, latitude: 1 });
    expect(half.status).toBe(400);
    const theirs = await as(stranger, 'POST', 'encounter', { assets, from_assets: true });
    expect([theirs.status, theirs.text.includes('35.25')]).toEqual([400, false]);
    expect(await made({}, moderator)).toEqual({ time, latitude, longitude });
  });

  test('and a camera whose clock is ahead says no time', async () => {
    const bytes = await photographTaken('2999:01:01 00:00:00', '+00:00');
    const sent = await world().send(uploadRequest({ bytes }, bearer(owner.secret)));
    const body = { assets: [String(responseOf(sent)['id'])], from_assets: true };
    const made = await as(owner, 'POST', 'encounter', body);
    const encounter = String(responseOf(made)['id']);
    expect(responseOf(await as(owner, 'GET', `encounter/${encounter}`))).toMatchObject({
      time: null,
      latitude: -1.5,
    });
    expect(at(parsed(made.text), 'message')).toEqual({
      key: 'API_RESPONSE_CAMERA_TIME_AHEAD',
      args: { time: '2999-01-01T00:00:00+00:00' },
    });
    const told = await as(owner, 'POST', 'encounter', { ...body, time: '2021' });
    expect(at(parsed(told.text), 'message')).toBeUndefined();
  });

  test('and what is attached already stays, whoever sends the list again', async () => {
    const [first, second] = [await uploadAs(owner), await uploadAs(moderator)];
    const encounter = await encounterOf(owner, { assets: [first] });
    const both = [first, second];
    expect((await as(moderator, 'PUT', `encounter/${encounter}`, { assets: both })).status).toBe(
      200,
    );
    const back = [second, first];
    expect((await as(owner, 'PUT', `encounter/${encounter}`, { assets: back })).status).toBe(200);
    expect(responseOf(await as(owner, 'GET', `encounter/${encounter}`))['assets']).toEqual(back);
  });

  test('as the photograph of a person, it is the person’s own, whoever puts it there', async () => {
    const administrator = await makePerson(world().service, { role: 'administrator' });
    const secret = await login(world(), administrator);
    const [theirs, own] = [await uploadAs(owner), await uploadAs(stranger)];
    const put = async (asset: string): Promise<number> => {
      const body = { photo_id: `/api/v0/asset/${asset}/file` };
      return (await ask(world(), 'PUT', `user/${stranger.id}`, secret, body)).status;
    };
    expect([await put(theirs), await put(own)]).toEqual([400, 200]);
    const read = responseOf(await get(`/api/v0/user/${stranger.id}?include=photo_id`));
    expect(read['photo_id']).toBe(`/api/v0/asset/${own}/file`);
    expect(at(read, 'included', 'asset', own, 'renditions', 'small', 'path')).toBe(
      `/api/v0/asset/${own}/file?size=small`,
    );
    const encounter = await encounterOf(stranger, {});
    const shown = responseOf(await get(`/api/v0/encounter/${encounter}?include=owner`));
    expect(at(shown, 'included', 'user', stranger.id, 'renditions', 'thumbnail', 'path')).toBe(
      `/api/v0/asset/${own}/file?size=thumbnail`,
    );
  });
});

describe('in the panel', () => {
  test('a person’s photograph is a relation, and the same rules hold', async () => {
    const [own, theirs] = [await uploadAs(owner), await uploadAs(stranger)];
    const users = documentsOf(world().service, USER_UID);
    const put = (asset: string) =>
      users.update({
        documentId: owner.id,
        data: { photoId: { connect: [{ documentId: asset }], disconnect: [] } },
      });
    await put(own);
    const read = async () => responseOf(await get(`/api/v0/user/${owner.id}`))['photo_id'];
    expect(await read()).toBe(`/api/v0/asset/${own}/file`);
    await expect(put(theirs)).rejects.toThrow();
    expect(await read()).toBe(`/api/v0/asset/${own}/file`);
    const assets = documentsOf(world().service, 'api::asset.asset');
    await expect(assets.create({ data: { filename: 'no file' } })).rejects.toThrow();
  });
});

describe('who may change an asset', () => {
  test('is its owner, and moderators', async () => {
    const asset = await uploadAs(owner);
    await encounterOf(owner, { assets: [asset] });
    const put = async (who: Somebody): Promise<number> =>
      (await as(who, 'PUT', `asset/${asset}`, { alt_text: { en: who.id } })).status;
    expect([await put(stranger), await put(owner), await put(moderator)]).toEqual([403, 200, 200]);
    expect((await as(stranger, 'DELETE', `asset/${asset}`)).status).toBe(403);
    expect((await world().send({ method: 'DELETE', url: `/api/v0/asset/${asset}` })).status).toBe(
      401,
    );
  });
});

describe('deleting an asset', () => {
  test('clears every reference to it, each with its version and history', async () => {
    const [asset, other] = [await uploadAs(owner), await uploadAs(owner)];
    const encounter = await encounterOf(owner, { assets: [other, asset] });
    const path = `/api/v0/asset/${asset}/file`;
    await as(owner, 'PUT', `user/${owner.id}`, { photo_id: path });
    const before = responseOf(await as(owner, 'GET', `user/${owner.id}`));
    expect((await as(owner, 'DELETE', `asset/${asset}`)).status).toBe(200);
    const user = responseOf(await as(owner, 'GET', `user/${owner.id}`));
    expect(user).toMatchObject({ photo_id: null, version: Number(before['version']) + 1 });
    expect(responseOf(await as(owner, 'GET', `encounter/${encounter}`))).toMatchObject({
      assets: [other],
      version: 2,
    });
    const [last] = (await historyOf(world().service, owner.id)).slice(-1);
    expect(last?.changes).toEqual([{ path: 'photo_id', before: path, after: null }]);
    expect(await seen(asset, owner, null)).toEqual([402, 402]);
  });

  test('while others attach it leaves no reference to it', async () => {
    const person = await somebody();
    for (let round = 0; round < 5; round += 1) {
      const asset = await uploadAs(person);
      const photo = { photo_id: `/api/v0/asset/${asset}/file` };
      const [deleted, ...attached] = await Promise.all([
        as(person, 'DELETE', `asset/${asset}`),
        as(person, 'POST', 'encounter', { assets: [asset] }),
        as(person, 'POST', 'encounter', { assets: [asset] }),
        as(person, 'PUT', `user/${person.id}`, photo),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of attached) expect([200, 400]).toContain(status);
      const knex = world().service.strapi.db.connection;
      const links = knex('encounters_assets_lnk').leftJoin('assets', 'assets.id', 'asset_id');
      expect(await links.whereNull('assets.id').select('encounter_id')).toEqual([]);
      expect(responseOf(await as(person, 'GET', `user/${person.id}`))['photo_id']).toBeNull();
    }
  });

  test('of its owner leaves it, as nobody’s', async () => {
    const leaving = await somebody();
    const asset = await uploadAs(leaving);
    const administrator = await makePerson(world().service, { role: 'administrator' });
    const secret = await login(world(), administrator);
    await ask(world(), 'DELETE', `user/${leaving.id}`, secret);
    expect(responseOf(await as(moderator, 'GET', `asset/${asset}`))['owner']).toBeNull();
  });
});

describe('without an account', () => {
  const upload = async (headers = {}): Promise<Json> => {
    const request = uploadRequest({ bytes: await photograph(60, 40) }, headers);
    return responseOf(await world().send(request));
  };
  const report = (body: Json, headers = {}): Promise<Answer> =>
    world().send({ method: 'POST', url: '/api/v0/encounter', body, headers });

  test('an upload answers a claim, with which it can be changed and reported, and nobody else can', async () => {
    const { id, claim } = await upload();
    expect(claim).toEqual(expect.stringMatching(/^[\w-]{43}$/));
    const asset = String(id);
    expect(await seen(asset, null, stranger)).toEqual([402, 402]);
    const carried = { 'X-Claim': String(claim) };
    expect((await get(`/api/v0/asset/${asset}`, carried)).status).toBe(200);
    const change = { method: 'PUT', url: `/api/v0/asset/${asset}`, body: { license: 'CC0-1.0' } };
    expect((await world().send({ ...change, headers: carried })).status).toBe(200);
    expect((await world().send(change)).status).toBe(401);
    const other = { 'X-Claim': String((await upload())['claim']) };
    expect((await world().send({ ...change, headers: other })).status).toBe(402);
    const without = await report({ assets: [asset] });
    expect(without.status).toBe(400);
    const made = await report({ assets: [asset], claims: [String(claim)] });
    expect(made.status).toBe(200);
    expect(await seen(asset, null, stranger)).toEqual([200, 200]);
  });

  test('a report answers a claim, which reads it exactly until it is decided', async () => {
    await withSite(world().service, { reviewEncounters: true }, async () => {
      const { id: asset, claim: photo } = await upload();
      const body = { assets: [String(asset)], claims: [String(photo)], time: '2024-05-06' };
      const { id, claim } = responseOf(await report(body));
      const url = `/api/v0/encounter/${String(id)}`;
      const carried = { 'X-Claim': String(claim) };
      expect((await get(url)).status).toBe(402);
      expect((await get(url, { 'X-Claim': String(photo) })).status).toBe(402);
      const own = await get(url, carried);
      expect(responseOf(own)).toMatchObject({
        time: '2024-05-06',
        state: 'pending',
        permissions: [],
      });
      // Who may read the report reads its photographs.
      expect((await get(`/api/v0/asset/${String(asset)}/file`, carried)).status).toBe(200);
      const knex = world().service.strapi.db.connection;
      await knex('encounters')
        .where({ document_id: String(id) })
        .update({ state: 'rejected' });
      expect((await get(url, carried)).status).toBe(402);
    });
  });

  test('a claim to an upload ends after a day', async () => {
    const { id, claim } = await upload();
    const url = `/api/v0/asset/${String(id)}`;
    const carried = { 'X-Claim': String(claim) };
    const knex = world().service.strapi.db.connection;
    const row = (await knex('oms_claims')
      .where({ object: String(id) })
      .first()) as Json;
    expect(Math.abs(Number(row['ends_at']) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect((await get(url, carried)).status).toBe(200);
    await knex('oms_claims')
      .where({ object: String(id) })
      .update({ ends_at: Date.now() - 1 });
    expect((await get(url, carried)).status).toBe(402);
  });

  test('nothing can be uploaded where the site takes no reports', async () => {
    await withSite(world().service, { anonymousEncounters: false }, async () => {
      const request = uploadRequest({ bytes: await photograph() });
      expect((await world().send(request)).status).toBe(401);
    });
    expect(siteOf(world().service.strapi).current().anonymousEncounters).toBe(true);
  });

  test('a claim is kept as its hash alone, and is in no log', async () => {
    const { strapi } = world().service;
    let claim = '';
    const text = await loggedDuring(strapi, async () => {
      const sent = await upload();
      claim = String(sent['claim']);
      await get(`/api/v0/asset/${String(sent['id'])}`, { 'X-Claim': claim });
      await report({ assets: [randomUUID()], claims: [claim] });
    });
    expect(text.match(/"message":"request"/g)).toHaveLength(3);
    expect(text).not.toContain(claim);
    const knex = strapi.db.connection;
    for (const table of ['oms_claims', 'oms_history', 'assets', 'encounters'])
      expect(JSON.stringify(await knex(table).select('*'))).not.toContain(claim);
  });

  test('uploads are limited, per network', async () => {
    await upload();
    const knex = world().service.strapi.db.connection;
    const buckets = knex('oms_throttles').where('bucket', 'like', 'uploads:%');
    expect(await buckets.clone()).toHaveLength(1);
    await buckets.clone().update({ count: 240 });
    const answer = await world().send(uploadRequest({ bytes: await photograph() }));
    expect(answer.status).toBe(429);
    expect((await report({})).status).toBe(200);
    await buckets.clone().update({ count: 0 });
  });
});

describePhotographs(world);
describe('a card of what is referred to', () => describeCards(world));
describe('the claims of reports', () => describeClaims(world));
// Bytes on their way have not come to a database.
if (testDatabase === 'sqlite') describe('a crowd', () => describeCrowd(world));
