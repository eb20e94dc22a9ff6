import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { unzipped } from '../../helpers/archive';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import type { Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import { useMembers, type Member, type Who } from '../../helpers/members';
import { bearer, responseOf, withSite } from '../../helpers/people';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';

/** The ways by which an encounter may tell a photograph. */
const WAYS = [
  ...['read', 'included', 'assets', 'not', 'null', 'expand', 'asset', 'file', 'search'],
  ...['csv', 'geojson', 'dwca', 'camtrap_dp'],
] as const;

/** Which photographs an encounter tells, in a shared service. */
export function describePhotographs(world: () => World): void {
  const { as, newPerson, done, read } = useMembers(world);
  const knex = () => world().service.strapi.db.connection;
  const background = () => backgroundOf(world().service.strapi);

  let species = '';
  let [alice, bob, friend] = [] as unknown as [Member, Member, Member];
  beforeAll(async () => {
    [alice, bob, friend] = [await newPerson(), await newPerson(), await newPerson()];
    await openToRoles(world().service);
    species = String(((await done(taxon({}))) as Json)['id']);
    const asked = { user: friend.id, level: 'view' };
    const { id } = (await done(as(alice, 'POST', 'collaboration', asked))) as Json;
    const accepted = { state: 'accepted' };
    expect(await put(friend, `collaboration/${String(id)}`, accepted)).toBe(200);
  });

  const upload = async (who: Member, bytes: Buffer, fields: Json = {}): Promise<string> =>
    String(
      responseOf(await world().send(uploadRequest({ bytes, fields }, bearer(who.secret))))['id'],
    );
  /** Of a taxon that is open, unless another one is given. */
  const make = async (who: Member, body: Json): Promise<string> =>
    String(responseOf(await as(who, 'POST', 'encounter', { taxonomy: species, ...body }))['id']);
  const put = async (who: Who, path: string, body: Json): Promise<number> =>
    (await as(who, 'PUT', path, body)).status;
  const settle = async (): Promise<void> => {
    await knex()('oms_privacy_jobs').update({ due_at: 0 });
    await background().workOff();
  };

  /** The ways by which this caller is told that an encounter has a photograph. */
  async function told(who: Who, encounter: string, asset: string): Promise<string[]> {
    const path = `encounter/${encounter}`;
    const object = await read(who, `${path}?include=assets`);
    const finds = async (query: string): Promise<boolean> => {
      const found = await as(who, 'GET', `search/encounter?${query}&id=${encounter}`);
      return (at(parsed(found.text), 'matches') as string[]).includes(encounter);
    };
    const has = (value: unknown): boolean => JSON.stringify(value).includes(asset);
    const exported = async (format: string): Promise<string> => {
      const { status, bytes } = await as(
        who,
        'GET',
        `export/encounter?format=${format}&id=${encounter}`,
      );
      // Of an encounter with no photograph that is told, there is nothing of a camera to export.
      if (format === 'camtrap_dp' && status === 400) return '';
      expect([format, status]).toEqual([format, 200]);
      if (format === 'csv' || format === 'geojson') return String(bytes);
      return [...(await unzipped(bytes)).values()].join('');
    };
    const expanded = await as(who, 'GET', `search/encounter?expand=true&id=${encounter}`);
    const is: Record<(typeof WAYS)[number], boolean> = {
      read: (object['assets'] as string[]).includes(asset),
      included: has(at(object, 'included')),
      assets: await finds(`assets=${asset}`),
      not: !(await finds(`assets_not=${asset}`)),
      null: !(await finds('assets=null')),
      expand: has(parsed(expanded.text)),
      asset: (await as(who, 'GET', `asset/${asset}`)).status === 200,
      file: (await as(who, 'GET', `asset/${asset}/file?size=small`)).status === 200,
      search: has(parsed((await as(who, 'GET', `search/asset?id=${asset}`)).text)),
      csv: (await exported('csv')).includes(asset),
      geojson: (await exported('geojson')).includes(asset),
      dwca: (await exported('dwca')).includes(asset),
      camtrap_dp: (await exported('camtrap_dp')).includes(asset),
    };
    return WAYS.filter((way) => is[way]);
  }

  const ALL = [...WAYS];
  const PLACED = {
    latitude: -2.3,
    longitude: 34.8,
    time: '2021-06-03T14:05+02:00',
    basis_of_record: 'machine_observation',
  };

  describe('a photograph of two animals', () => {
    test('is told at none of its encounters while one of them is not open, but to who sees that one', async () => {
      const asset = await upload(alice, await photograph());
      const zebra = await make(alice, { ...PLACED, assets: [asset] });
      expect(await told(null, zebra, asset)).toEqual(ALL);
      const rhino = await make(alice, { ...PLACED, assets: [asset], location_privacy: 'obscured' });
      for (const encounter of [zebra, rhino]) {
        for (const who of [null, bob]) {
          expect(await told(who, encounter, asset)).toEqual([]);
          expect((await read(who, `encounter/${encounter}`))['assets']).toEqual([]);
        }
        for (const who of [alice, friend, 'moderator'] as const)
          expect(await told(who, encounter, asset)).toEqual(ALL);
      }
      expect(await put(alice, `encounter/${rhino}`, { location_privacy: 'open' })).toBe(200);
      expect(await told(null, zebra, asset)).toEqual(ALL);
    });

    test('is the same photograph whoever sends its bytes, and before or after', async () => {
      const bytes = await photograph();
      const [theirs, own] = [await upload(alice, bytes), await upload(bob, bytes)];
      const zebra = await make(bob, { ...PLACED, assets: [own] });
      const rhino = await make(alice, { ...PLACED, assets: [theirs], location_privacy: 'private' });
      const later = await newPerson();
      const third = await upload(later, bytes);
      const other = await make(later, { ...PLACED, assets: [third] });
      expect([await told(null, zebra, own), await told(null, other, third)]).toEqual([[], []]);
      expect(await told(bob, zebra, own)).toEqual(ALL);
      await put(alice, `encounter/${rhino}`, { location_privacy: null });
      expect(await told(null, zebra, own)).toEqual(ALL);
    });

    test('leaves the others of an encounter, in their order', async () => {
      const assets = [
        await upload(alice, await photograph()),
        await upload(alice, await photograph()),
        await upload(alice, await photograph()),
      ];
      const open = await make(alice, { assets });
      await make(alice, { assets: assets.slice(1, 2), location_privacy: 'obscured' });
      expect((await read(null, `encounter/${open}`))['assets']).toEqual([assets[0], assets[2]]);
      expect((await read(alice, `encounter/${open}`))['assets']).toEqual(assets);
    });

    test('is told of a report that was not identified, once it is something open', async () => {
      const guarded = await done(taxon({ location_privacy: 'obscured' }));
      const asset = await upload(alice, await photograph());
      const report = await make(alice, { ...PLACED, assets: [asset], taxonomy: null });
      await settle();
      expect(await told(null, report, asset)).toEqual([]);
      await put(alice, `encounter/${report}`, { taxonomy: species });
      expect(await told(null, report, asset)).toEqual(ALL);
      await as('moderator', 'DELETE', `taxonomy/${String((guarded as Json)['id'])}`);
      await settle();
    });

    test('follows its encounters when a taxon changes', async () => {
      const order = String(((await done(taxon({}))) as Json)['id']);
      const asset = await upload(alice, await photograph());
      const zebra = await make(alice, { ...PLACED, assets: [asset], taxonomy: order });
      const other = await make(alice, { ...PLACED, assets: [asset] });
      for (const [level, ways] of [
        ['private', []],
        ['obscured', []],
        [null, ALL],
      ] as const) {
        await put('moderator', `taxonomy/${order}`, { location_privacy: level });
        await settle();
        for (const encounter of [zebra, other])
          expect([level, await told(null, encounter, asset)]).toEqual([level, ways]);
      }
    });
  });

  const taxon = (body: Json) =>
    as('moderator', 'POST', 'taxonomy', { scientific_name: `Taxon ${Math.random()}`, ...body });

  describe('what is kept of an encounter that was not open', () => {
    const kinds: Record<string, (encounter: string, asset: string) => Promise<Answer>> = {
      'is deleted': (encounter) => as(alice, 'DELETE', `encounter/${encounter}`),
      'loses the photograph': (encounter) =>
        as(alice, 'PUT', `encounter/${encounter}`, { assets: [] }),
      'loses it and is open at once': (encounter) =>
        as(alice, 'PUT', `encounter/${encounter}`, { assets: [], location_privacy: 'open' }),
      'loses the asset': (_, asset) => as(alice, 'DELETE', `asset/${asset}`),
      'loses both in one batch': (encounter, asset) =>
        as(alice, 'POST', 'batch', {
          operations: [
            { op: 'update', type: 'encounter', id: encounter, body: { assets: [] } },
            { op: 'delete', type: 'asset', id: asset },
          ],
        }),
    };
    test.each(Object.keys(kinds))(
      'hides the bytes when it %s, and a moderator takes it back',
      async (kind) => {
        const bytes = await photograph();
        const asset = await upload(alice, bytes);
        const hidden = await make(alice, { assets: [asset], location_privacy: 'obscured' });
        const left = await kinds[kind]?.(hidden, asset);
        expect(left).toMatchObject({ status: 200 });
        const own = await upload(bob, bytes);
        const open = await make(bob, { ...PLACED, assets: [own] });
        expect(await told(null, open, own)).toEqual([]);
        expect(await read(bob, `asset/${own}`)).toMatchObject({
          withheld: 'encounter',
          withheld_by: [],
        });
        expect(await put(bob, `asset/${own}`, { location_privacy: 'open' })).toBe(400);
        expect(await put('moderator', `asset/${own}`, { location_privacy: 'open' })).toBe(200);
        expect(await told(null, open, own)).toEqual(ALL);
        expect(
          await put(bob, `asset/${own}`, { location_privacy: 'open', license: 'CC0-1.0' }),
        ).toBe(200);
        const later = await make(bob, { assets: [own], location_privacy: 'private' });
        expect(await told(null, open, own)).toEqual([]);
        await as(bob, 'DELETE', `encounter/${later}`);
        expect(await told(null, open, own)).toEqual([]);
      },
    );
  });

  describe('the level of bytes', () => {
    test.each([
      ['obscured', 'private'],
      ['private', 'obscured'],
    ])(
      'is the strictest of all that have or had them, and %s goes first, %s then',
      async (...all) => {
        const bytes = await photograph();
        const [theirs, own] = [await upload(alice, bytes), await upload(bob, bytes)];
        const encounters: string[] = [];
        for (const level of all)
          encounters.push(await make(alice, { assets: [theirs], location_privacy: level }));
        for (const encounter of encounters) {
          expect(await read('moderator', `asset/${own}`)).toMatchObject({ level: 'private' });
          expect((await as(alice, 'DELETE', `encounter/${encounter}`)).status).toBe(200);
        }
        expect(await read('moderator', `asset/${own}`)).toMatchObject({ level: 'private' });
      },
    );
  });

  describe('the owner’s own word', () => {
    test('private: nowhere but as a portrait, also where pictures are told', async () => {
      const asset = await upload(alice, await photograph(), { location_privacy: 'private' });
      const open = await make(alice, { ...PLACED, assets: [asset] });
      const hidden = await make(alice, { assets: [asset], location_privacy: 'obscured' });
      expect(await told(null, open, asset)).toEqual([]);
      await withSite(world().service, { hiddenTells: 'both' }, async () => {
        expect(await told(null, hidden, asset)).toEqual([]);
      });
      expect(await read(alice, `asset/${asset}`)).toMatchObject({ withheld: 'asset' });
      const photo = { photo_id: `/api/v0/asset/${asset}/file` };
      await put(alice, `user/${alice.id}`, photo);
      expect(await told(null, open, asset)).toEqual(['asset', 'file', 'search']);
      await put(alice, `user/${alice.id}`, { photo_id: null });
    });
  });

  describe('what is not open', () => {
    test('tells its photographs where the site wants it, and no open one does', async () => {
      const asset = await upload(alice, await photograph());
      const zebra = await make(alice, { ...PLACED, assets: [asset] });
      const rhino = await make(alice, { ...PLACED, assets: [asset], location_privacy: 'obscured' });
      for (const hiddenTells of ['both', 'picture'] as const)
        await withSite(world().service, { hiddenTells }, async () => {
          expect(await told(null, rhino, asset)).toEqual(ALL.filter((way) => way !== 'camtrap_dp'));
          const ofZebra = await told(null, zebra, asset);
          expect(ofZebra).toEqual(['asset', 'file', 'search']);
          const { latitude, time } = await read(null, `encounter/${rhino}`);
          expect([latitude, time]).toEqual(
            hiddenTells === 'both' ? [-2.3, '2021-06'] : [undefined, '2021'],
          );
        });
    });

    test('withholds the owner of its photographs, unless the site tells owners', async () => {
      const fields = { rights_holder: 'Ada', alt_text: { en: 'By the third tree' } };
      const asset = await upload(alice, await photograph(), fields);
      await put(alice, `user/${alice.id}`, { photo_id: `/api/v0/asset/${asset}/file` });
      const seenBy = async (who: Who): Promise<unknown> => {
        const { owner, rights_holder: holder, alt_text: text } = await read(who, `asset/${asset}`);
        return [owner, holder, text].map((one) => one !== undefined);
      };
      const finds = async (query: string): Promise<boolean> =>
        (await as(null, 'GET', `search/asset?${query}`)).text.includes(asset);
      expect(await seenBy(null)).toEqual([true, true, true]);
      for (const level of ['obscured', 'private']) {
        const hidden = await make(alice, { assets: [asset], location_privacy: level });
        expect([await seenBy(null), await seenBy(friend)]).toEqual([
          [false, false, false],
          [true, true, false],
        ]);
        expect([await seenBy(alice), await seenBy('moderator')]).toEqual([
          [true, true, true],
          [true, true, true],
        ]);
        expect([await finds(`owner=${alice.id}`), await finds('q=third')]).toEqual([false, false]);
        await withSite(world().service, { showOwnerWhenHidden: true }, async () => {
          const shown = level === 'obscured';
          expect(await seenBy(null)).toEqual([shown, shown, false]);
          expect(await finds(`owner=${alice.id}`)).toBe(shown);
        });
        await put(alice, `encounter/${hidden}`, { location_privacy: null });
      }
      expect([await finds(`owner=${alice.id}`), await finds('q=third')]).toEqual([true, true]);
      await put(alice, `user/${alice.id}`, { photo_id: null });
    });
  });

  describe('owner and moderators', () => {
    test('see whether and why it is not told, of encounters that they see exactly', async () => {
      const bytes = await photograph();
      const [theirs, own] = [await upload(alice, bytes), await upload(bob, bytes)];
      const rhino = await make(alice, { assets: [theirs], location_privacy: 'private' });
      const why = async (who: Who, asset: string): Promise<unknown> => {
        const { withheld, withheld_by: by, level } = await read(who, `asset/${asset}`);
        return [withheld, by, level];
      };
      expect(await why(bob, own)).toEqual(['encounter', [], undefined]);
      expect(await why(alice, theirs)).toEqual(['encounter', [rhino], undefined]);
      expect(await why('moderator', own)).toEqual(['encounter', [rhino], 'private']);
      const found = await as(bob, 'GET', `search/asset?withheld_by=${rhino}`);
      expect(at(parsed(found.text), 'matches')).toEqual([]);
      const all = await as('moderator', 'GET', `search/asset?withheld_by=${rhino}&level=private`);
      expect(new Set(at(parsed(all.text), 'matches') as string[])).toEqual(new Set([theirs, own]));
    });
  });

  describe('while a job waits', () => {
    const job = { kind: 'individual', target: 999_999_999, position: 0, due_at: 9e15 };

    test('a photograph is withheld where an encounter is as its level is now, and nowhere else', async () => {
      const asset = await upload(alice, await photograph());
      const zebra = await make(alice, { ...PLACED, assets: [asset] });
      const rhino = await make(alice, { ...PLACED, assets: [asset] });
      const opened = await upload(alice, await photograph());
      const other = await make(alice, { ...PLACED, assets: [opened] });
      const former = await make(alice, { assets: [opened], location_privacy: 'obscured' });
      const store = (id: string, level: string | null) =>
        knex()('encounters').where({ document_id: id }).update({ location_privacy: level });
      const stored = async (id: string): Promise<unknown> =>
        ((await knex()('assets').where({ document_id: id }).first()) as Json)['level'];
      await knex()('oms_privacy_jobs').insert(job);
      try {
        // As the change of a taxon leaves it, before the job has come to these encounters.
        await store(rhino, 'obscured');
        await store(former, null);
        expect([await stored(asset), await stored(opened)]).toEqual(['open', 'obscured']);
        expect(await told(null, zebra, asset)).toEqual([]);
        const { matches } = parsed(
          (await as(null, 'GET', `search/encounter?id=${other}`)).text,
        ) as Json;
        expect(matches).toEqual([other]);
        expect(await told(null, other, opened)).toEqual(ALL);
        // What leaves meanwhile is kept by its level as it is now.
        await as(alice, 'DELETE', `encounter/${rhino}`);
      } finally {
        await knex()('oms_privacy_jobs').where({ target: job.target }).delete();
      }
      await knex()('oms_privacy_jobs').insert({ kind: 'all', target: 0, position: 0, due_at: 0 });
      await settle();
      expect(await told(null, zebra, asset)).toEqual([]);
    });
  });

  describe('the levels of photographs', () => {
    test('are those that a rebuild gives', async () => {
      for (const level of ['open', 'obscured', 'private'])
        await make(alice, {
          assets: [await upload(alice, await photograph())],
          location_privacy: level,
        });
      await settle();
      const levels = () => knex()('assets').select('id', 'level').orderBy('id') as Promise<Json[]>;
      const before = await levels();
      expect(new Set(before.map(({ level }) => level)).size).toBe(3);
      await knex()('assets').update({ level: null });
      await objectsOf(world().service.strapi).rebuild();
      expect(await levels()).toEqual(before);
    });
  });

  describe('the claim to a photograph of a report', () => {
    test('ends with the decision on the report', async () => {
      await withSite(world().service, { reviewEncounters: true }, async () => {
        const sent = responseOf(await world().send(uploadRequest({ bytes: await photograph() })));
        const [asset, claim] = [String(sent['id']), String(sent['claim'])];
        const body = { assets: [asset], claims: [claim] };
        const report = responseOf(await as(null, 'POST', 'encounter', body));
        const change = async (): Promise<number> => {
          const request = {
            method: 'PUT',
            url: `/api/v0/asset/${asset}`,
            body: { license: 'CC0-1.0' },
          };
          return (await world().send({ ...request, headers: { 'X-Claim': claim } })).status;
        };
        expect(await change()).toBe(200);
        const decision = { state: 'rejected' };
        const url = `/api/v0/encounter/${String(report['id'])}/review`;
        const headers = authorizationOf('moderator');
        expect((await world().send({ method: 'POST', url, headers, body: decision })).status).toBe(
          200,
        );
        expect(await change()).toBe(402);
        expect((await as(null, 'POST', 'encounter', body)).status).toBe(400);
      });
    });
  });
}
