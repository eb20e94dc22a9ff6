import { authorizationOf } from '../../helpers/callers';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { responseOf } from '../../helpers/people';
import type { World } from '../../helpers/world';

type Headers = Readonly<Record<string, string>>;

/** The calls that tests of privacy make. Callers are named: owner, stranger, moderator, administrator, nobody. */
export function callsOf(world: () => World, callers: Readonly<Record<string, Headers>>) {
  const headersOf = (who: string): Headers =>
    who === 'administrator' ? authorizationOf('administrator') : (callers[who] ?? {});
  const send = (who: string, method: string, path: string, body?: Json) =>
    world().send({ method, url: `/api/v0/${path}`, headers: headersOf(who), body });
  const succeed = async (who: string, method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await send(who, method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text.slice(0, 500)}`);
    return asObject(parsed(answer.text));
  };
  const make = async (who: string, type: string, body: Json): Promise<string> =>
    String(at(await succeed(who, 'POST', type, body), 'response', 'id'));
  return {
    send,
    succeed,
    make,
    change: (who: string, path: string, body: Json) => succeed(who, 'PUT', path, body),
    taxon: (body: Json = {}): Promise<string> =>
      make('administrator', 'taxonomy', { scientific_name: `Genus${Math.random()}`, ...body }),
    read: async (who: string, path: string): Promise<Json> =>
      responseOf(await send(who, 'GET', path)),
    /** What strangers are told that it is. */
    told: async (id: string): Promise<unknown> =>
      responseOf(await send('stranger', 'GET', `encounter/${id}`))['generalized'],
    matches: async (who: string, query: string): Promise<unknown> =>
      at(parsed((await send(who, 'GET', `search/${query}`)).text), 'matches'),
  };
}

/** How an encounter comes to its level, beyond its own privacy, its taxon and the site. */
export function testLevels(
  world: () => World,
  callers: Readonly<Record<string, Headers>>,
  settle: () => Promise<void>,
): void {
  const { make, change, succeed, taxon, read, told, matches, send } = callsOf(world, callers);
  const site = (body: Json) => change('administrator', 'site_settings', body);
  const drop = async (path: string): Promise<void> => {
    expect((await send('administrator', 'DELETE', path)).status).toBe(200);
  };

  describe('the level of what is not identified', () => {
    test('is obscured where a taxon below its own is protected, until that is open', async () => {
      const family = await taxon();
      const genus = await taxon({ parent: family });
      const species = await taxon({ parent: genus });
      const other = await taxon();
      const synonym = await taxon({ status: 'synonym', accepted: genus });
      const [coarse, elsewhere] = [
        await make('owner', 'encounter', { taxonomy: family }),
        await make('owner', 'encounter', { taxonomy: other }),
      ];
      expect([await told(coarse), await told(elsewhere)]).toEqual([null, null]);
      await change('administrator', `taxonomy/${species}`, { location_privacy: 'private' });
      expect([await told(coarse), await told(elsewhere)]).toEqual(['obscured', null]);
      await change('administrator', `taxonomy/${species}`, { location_privacy: null });
      expect(await told(coarse)).toBeNull();
      // A synonym is below its accepted name.
      await change('administrator', `taxonomy/${synonym}`, { location_privacy: 'obscured' });
      expect(await told(coarse)).toBe('obscured');
      await change('administrator', `taxonomy/${synonym}`, { status: 'accepted', accepted: null });
      expect(await told(coarse)).toBeNull();
      await change('administrator', `taxonomy/${species}`, { location_privacy: 'obscured' });
      expect(await told(coarse)).toBe('obscured');
      await change('administrator', `taxonomy/${species}`, { parent: other });
      expect([await told(coarse), await told(elsewhere)]).toEqual([null, 'obscured']);
      await drop(`taxonomy/${species}`);
      expect(await told(elsewhere)).toBeNull();
    });

    test('is that of a protected taxon without a parent, for the genus of its name', async () => {
      const name = `Ceratotherium${Date.now()}`;
      const genus = await taxon({ scientific_name: name, rank: 'genus' });
      const above = await make('owner', 'encounter', { taxonomy: genus });
      const species = await taxon({
        scientific_name: `${name} simum`,
        location_privacy: 'obscured',
      });
      expect(await told(above)).toBe('obscured');
      await change('administrator', `taxonomy/${species}`, { location_privacy: null });
      expect(await told(above)).toBeNull();
      const late = `Diceros${Date.now()}`;
      await taxon({ scientific_name: `${late} bicornis`, location_privacy: 'private' });
      const made = await taxon({ scientific_name: late.toUpperCase() });
      expect(await told(await make('owner', 'encounter', { taxonomy: made }))).toBe('obscured');
    });

    test('is open above a protected taxon without a parent, which is told to whoever protects it', async () => {
      const scientific_name = `Diceros${Math.random()} minor`;
      const told = (body: Json): unknown => body['message'];
      const uncovered = {
        key: 'API_RESPONSE_RANKS_ABOVE_OPEN',
        args: { name: scientific_name },
      };
      const made = await succeed('administrator', 'POST', 'taxonomy', {
        scientific_name,
        location_privacy: 'obscured',
      });
      expect(told(made)).toEqual(uncovered);
      const path = `taxonomy/${String(at(made, 'response', 'id'))}`;
      const protect = (location_privacy: string | null) =>
        change('administrator', path, { location_privacy });
      expect(told(await protect('private'))).toBeUndefined();
      expect(told(await protect(null))).toBeUndefined();
      expect(told(await protect('private'))).toEqual(uncovered);
      const parent = await taxon();
      expect(told(await change('administrator', path, { parent }))).toBeUndefined();
      expect(told(await change('administrator', path, { parent: null }))).toEqual(uncovered);
      const body = { location_privacy: null, parent };
      await change('administrator', path, body);
      const batch = await succeed('administrator', 'POST', 'batch', {
        operations: [
          {
            op: 'update',
            type: 'taxonomy',
            id: path.slice(9),
            body: { location_privacy: 'obscured', parent: null },
          },
        ],
      });
      expect(at(batch, 'response', 'results')).toEqual([
        expect.objectContaining({ status: 200, message: uncovered }),
      ]);
    });

    test('without a taxon is obscured while any taxon is protected, and the site may switch it off', async () => {
      const bare = await make('owner', 'encounter', {
        time: '2020-02-03',
        latitude: 1.23,
        longitude: 4.56,
      });
      const protectedTaxon = await taxon({ location_privacy: 'obscured' });
      expect(await told(bare)).toBe('obscured');
      await settle();
      expect(await matches('nobody', `encounter?id=${bare}&time_min=2020-02-28`)).toEqual([bare]);
      expect(await matches('nobody', `encounter?id=${bare}&bbox=4.55,1.22,4.57,1.24`)).toEqual([]);
      await site({ protect_unidentified: false });
      expect(await told(bare)).toBeNull();
      await settle();
      expect(await matches('nobody', `encounter?id=${bare}&bbox=4.55,1.22,4.57,1.24`)).toEqual([
        bare,
      ]);
      await site({ protect_unidentified: true });
      await settle();
      expect(await matches('nobody', `encounter?id=${bare}&bbox=4.55,1.22,4.57,1.24`)).toEqual([]);
      await drop(`taxonomy/${protectedTaxon}`);
    });

    test('ends where parents and accepted names lead in a circle', async () => {
      const [one, two] = [await taxon(), await taxon()];
      const synonym = await taxon({ status: 'synonym', accepted: one, parent: two });
      await change('administrator', `taxonomy/${one}`, { parent: synonym }).catch(() => undefined);
      const id = await make('owner', 'encounter', { taxonomy: one });
      await change('administrator', `taxonomy/${two}`, { location_privacy: 'private' });
      const knex = world().service.strapi.db.connection;
      // As no call can make it.
      await knex('taxonomies')
        .where({ document_id: one })
        .update({ parent_id: knex('taxonomies').select('id').where({ document_id: synonym }) });
      await change('administrator', `taxonomy/${two}`, { location_privacy: 'obscured' });
      expect(await told(id)).toBe('obscured');
      await change('administrator', `taxonomy/${two}`, { location_privacy: null });
      expect(await told(id)).toBeNull();
    });
  });

  describe('the level of what is identified through an individual', () => {
    const where = { time: '2021-06-03T14:05', latitude: -2.333, longitude: 34.8333 };

    test('is that of the individual’s taxon, whichever comes first', async () => {
      const [rhino, zebra] = [await taxon({ location_privacy: 'obscured' }), await taxon()];
      const first = await make('owner', 'encounter', { ...where, taxonomy: null });
      const animal = await make('owner', 'individual', { taxonomy: rhino });
      await change('owner', `encounter/${first}`, { individual: animal });
      const second = await make('owner', 'encounter', { ...where, individual: animal });
      const given = await make('owner', 'encounter', { ...where, taxonomy: zebra });
      const other = await make('owner', 'individual', { encounters: [given], taxonomy: zebra });
      for (const id of [first, second]) {
        expect(await told(id)).toBe('obscured');
        expect(await read('owner', `encounter/${id}`)).toMatchObject({
          protected_as: rhino,
          level: 'obscured',
        });
        expect(await read('stranger', `encounter/${id}`)).not.toHaveProperty('protected_as');
      }
      expect(await matches('nobody', `encounter?individual=${animal}`)).toEqual([]);
      // An export has the members that a read has.
      const { text } = await send('nobody', 'GET', `export/encounter?format=geojson&id=${first}`);
      const { features } = parsed(text) as { features: readonly Json[] };
      const exported = asObject(features[0]?.['properties']);
      const { permissions, assets, custom_fields, ...shown } = await read(
        'nobody',
        `encounter/${first}`,
      );
      expect([permissions, assets, custom_fields]).toEqual([[], [], {}]);
      expect(Object.keys(exported).sort()).toEqual([...Object.keys(shown), 'assets'].sort());
      expect(await matches('nobody', `encounter?id=${first}&bbox=34.83,-2.34,34.84,-2.33`)).toEqual(
        [],
      );
      expect(await told(given)).toBeNull();
      expect(await read('owner', `encounter/${given}`)).toMatchObject({ protected_as: zebra });
      // Who may update the encounter decides anew.
      await change('owner', `encounter/${second}`, { individual: other });
      expect(await told(second)).toBeNull();
      await change('owner', `encounter/${given}`, { individual: null, taxonomy: rhino });
      expect(await read('owner', `encounter/${given}`)).toMatchObject({ protected_as: null });
      // A taxon that an encounter is protected as is in use.
      expect((await send('administrator', 'DELETE', `taxonomy/${rhino}`)).status).toBe(400);
    });

    test('stays what it was, whatever the owner of the individual does with it', async () => {
      const [rhino, zebra, secret] = [
        await taxon({ location_privacy: 'obscured' }),
        await taxon(),
        await taxon({ location_privacy: 'private' }),
      ];
      const make4 = async (): Promise<[animal: string, encounter: string]> => {
        const animal = await make('stranger', 'individual', { taxonomy: rhino });
        return [animal, await make('owner', 'encounter', { ...where, individual: animal })];
      };
      const acts: ((animal: string) => Promise<unknown>)[] = [
        (animal) => change('stranger', `individual/${animal}`, { taxonomy: null }),
        (animal) => change('stranger', `individual/${animal}`, { taxonomy: zebra }),
        (animal) => change('stranger', `individual/${animal}`, { taxonomy: secret }),
        (animal) => send('stranger', 'DELETE', `individual/${animal}`),
        async (animal) => {
          const into = await make('stranger', 'individual', {});
          return send('stranger', 'POST', `individual/${into}/merge`, { from: [animal] });
        },
      ];
      for (const act of acts) {
        const [animal, encounter] = await make4();
        const before = await send('nobody', 'GET', `encounter/${encounter}`);
        await act(animal);
        const after = await send('nobody', 'GET', `encounter/${encounter}`);
        expect(responseOf(after)).toEqual(responseOf(before));
        expect(after.headers.etag).toBe(before.headers.etag);
        expect(await told(encounter)).toBe('obscured');
        await settle();
        expect(await told(encounter)).toBe('obscured');
      }
    });

    test('stays what it was when a moderator merges its individual into another', async () => {
      const rhino = await taxon({ location_privacy: 'obscured' });
      const animal = await make('stranger', 'individual', { taxonomy: rhino });
      const encounter = await make('owner', 'encounter', { ...where, individual: animal });
      const into = await make('stranger', 'individual', {});
      const merge = await send('moderator', 'POST', `individual/${into}/merge`, { from: [animal] });
      expect(merge.status).toBe(200);
      expect(await told(encounter)).toBe('obscured');
      expect(await read('owner', `encounter/${encounter}`)).toMatchObject({
        individual: into,
        protected_as: rhino,
      });
    });

    test('rises when the individual becomes a protected one, and falls by a moderator', async () => {
      const [rhino, zebra] = [await taxon({ location_privacy: 'obscured' }), await taxon()];
      const animal = await make('stranger', 'individual', { taxonomy: zebra });
      const encounter = await make('owner', 'encounter', { ...where, individual: animal });
      expect(await told(encounter)).toBeNull();
      await change('stranger', `individual/${animal}`, { taxonomy: rhino });
      expect(await told(encounter)).toBe('obscured');
      expect(
        await matches('nobody', `encounter?id=${encounter}&bbox=34.83,-2.34,34.84,-2.33`),
      ).toEqual([]);
      await change('stranger', `individual/${animal}`, { taxonomy: zebra });
      expect(await told(encounter)).toBe('obscured');
      await change('moderator', `individual/${animal}`, { taxonomy: null });
      await change('moderator', `individual/${animal}`, { taxonomy: zebra });
      expect(await told(encounter)).toBeNull();
      expect(
        await matches('nobody', `encounter?id=${encounter}&bbox=34.83,-2.34,34.84,-2.33`),
      ).toEqual([encounter]);
    });

    test('stays when anything else of it changes, and is decided anew with its taxon', async () => {
      const [rhino, zebra] = [await taxon({ location_privacy: 'obscured' }), await taxon()];
      const animal = await make('owner', 'individual', { taxonomy: rhino });
      const encounter = await make('owner', 'encounter', { ...where, individual: animal });
      await change('owner', `encounter/${encounter}`, { remarks: 'by the river' });
      expect(await read('owner', `encounter/${encounter}`)).toMatchObject({ protected_as: rhino });
      const open = await make('owner', 'individual', { taxonomy: zebra });
      const other = await make('owner', 'encounter', { ...where, individual: open });
      expect(await read('owner', `encounter/${other}`)).toMatchObject({ protected_as: zebra });
      expect(await read('stranger', `encounter/${other}`)).not.toHaveProperty('protected_as');
      // Not by a moderator: what the encounter is protected as stays until somebody who may update it decides.
      await change('owner', `individual/${open}`, { taxonomy: null });
      expect(await read('owner', `encounter/${other}`)).toMatchObject({ protected_as: zebra });
      await change('owner', `encounter/${other}`, { taxonomy: zebra });
      expect(await read('owner', `encounter/${other}`)).toMatchObject({ protected_as: null });
    });

    test('stays that of the protected taxon, when another one is protected', async () => {
      const [secret, horse] = [await taxon({ location_privacy: 'private' }), await taxon()];
      const animal = await make('stranger', 'individual', { taxonomy: secret });
      const encounter = await make('owner', 'encounter', { ...where, individual: animal });
      await change('stranger', `individual/${animal}`, { taxonomy: horse });
      await change('administrator', `taxonomy/${horse}`, { location_privacy: 'obscured' });
      expect(await told(encounter)).toBe('private');
      await settle();
      expect(await told(encounter)).toBe('private');
    });

    test('rises when a taxon is protected that the individual came to without a moderator', async () => {
      const [horse, zebra] = [await taxon(), await taxon()];
      const animal = await make('stranger', 'individual', { taxonomy: horse });
      const encounter = await make('owner', 'encounter', { ...where, individual: animal });
      await change('stranger', `individual/${animal}`, { taxonomy: zebra });
      expect(await read('owner', `encounter/${encounter}`)).toMatchObject({ protected_as: horse });
      await change('administrator', `taxonomy/${zebra}`, { location_privacy: 'obscured' });
      expect(await told(encounter)).toBe('obscured');
      await settle();
      expect(
        await matches('nobody', `encounter?id=${encounter}&bbox=34.83,-2.34,34.84,-2.33`),
      ).toEqual([]);
      const merged = await make('stranger', 'individual', {});
      const apart = await make('owner', 'encounter', {
        ...where,
        individual: merged,
        taxonomy: await taxon(),
      });
      await change('owner', `encounter/${apart}`, { taxonomy: null });
      await send('stranger', 'POST', `individual/${animal}/merge`, { from: [merged] });
      expect(await read('owner', `encounter/${apart}`)).toMatchObject({ protected_as: zebra });
    });
  });
}
