import encounter from '#app/api/encounter/resource';
import taxonomy from '#app/api/taxonomy/resource';
import user from '#app/api/user/resource';
import { registryOf } from '#app/plugins/objects/server';
import type { ResourceDeclaration } from '#app/plugins/objects/server/define/declaration';
import type { Field } from '#app/plugins/objects/server/define/resource';
import type { Json } from '../helpers/json';
import { play, type Fault } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';
import { SAMPLES, TARGET, type Samples } from './samples';

/** What a field needs beside it to be accepted. */
const COMPANIONS: Readonly<Record<string, Json>> = {
  'encounter.latitude': { longitude: 1 },
  'encounter.longitude': { latitude: 1 },
  'taxonomy.accepted': { status: 'synonym' },
};

/** Fields whose default is not that of the declaration alone. */
const FILLED: Readonly<Record<string, unknown>> = {
  'encounter.location_privacy': 'open',
  'user.language': 'en',
};

const OF_EVERY_OBJECT = ['id', 'version', 'created_at', 'updated_at'];

const world = useWorld();
let counter = 0;

beforeAll(async () => {
  await world().create('taxonomy', { id: TARGET, scientific_name: 'The target' });
  await world().create('encounter', { id: TARGET });
  await world().create('user', { id: TARGET, name: 'The target', email: 'target@example.org' });
});

/** The least that an object of a type needs. */
const LEAST: Readonly<Record<string, () => Json>> = {
  encounter: () => ({}),
  taxonomy: () => ({ scientific_name: `Taxon ${(counter += 1)}` }),
  user: () => ({ name: 'Somebody', email: `user${(counter += 1)}@example.org` }),
};

describe.each([
  ['encounter', encounter],
  ['taxonomy', taxonomy],
  ['user', user],
] satisfies [string, ResourceDeclaration][])('each field of %s', (type, declaration) => {
  const names = Object.keys(declaration.fields);

  const least = (): Json => LEAST[type]?.() ?? {};
  const companions = (name: string): Json => COMPANIONS[`${type}.${name}`] ?? {};
  /** A body for a field and what it needs beside it. */
  const withField = (name: string, value: unknown): Json => ({
    ...companions(name),
    [name]: value,
  });

  function field(name: string): Field {
    const found = registryOf(world().service.strapi).model().type(type).resource.fields.get(name);
    if (!found) throw new RangeError(name);
    return found;
  }

  /** Whether anybody ever reads it. */
  const isShown = (name: string): boolean =>
    name === 'permissions' || (!field(name).input && field(name).seen !== 'nobody');
  const samples = (name: string): Samples => SAMPLES[field(name).kind](field(name));

  async function remove(id: string): Promise<void> {
    await world().send({ method: 'DELETE', url: `/api/v0/${type}/${id}` });
  }

  const shifted = (name: string, faults: readonly Fault[]): Fault[] =>
    faults.map(([path, key, args]) =>
      args === undefined ? [name + path, key] : [name + path, key, args],
    );

  test.each(names)('%s is created, read and remembered as it is kept', async (name) => {
    if (field(name).derived) return;
    for (const { sent, kept } of samples(name).good) {
      const id = await world().create(type, { ...least(), ...withField(name, sent) });
      expect({ sent, kept: (await world().read(type, id))[name] }).toEqual({ sent, kept });
      const [entry] = await historyOf(world().service, id);
      expect(entry).toMatchObject({ action: 'create', version: 1, type });
      const told = entry?.changes.find(({ path }) => path === name);
      expect(told?.after ?? field(name).empty).toEqual(kept);
      await remove(id);
    }
  });

  test.each(names)('%s is updated to each of its values, and cleared by null', async (name) => {
    const { derived, required, empty, default: standard } = field(name);
    if (derived || !isShown(name)) return;
    const id = await world().create(type, least());
    for (const { sent, kept } of samples(name).good) {
      await world().update(type, id, withField(name, sent));
      expect({ sent, kept: (await world().read(type, id))[name] }).toEqual({ sent, kept });
    }
    if (required) {
      await play(world(), {
        name,
        method: 'PUT',
        url: `/api/v0/${type}/${id}`,
        body: { [name]: null },
        expect: { status: 400, key: 'MALFORMED', invalid: [[name, 'REQUIRED', {}]] },
      });
    } else {
      const cleared = Object.fromEntries(
        Object.keys(withField(name, null)).map((key) => [key, null]),
      );
      await world().update(type, id, cleared);
      const read = await world().read(type, id);
      expect(read[name]).toEqual(FILLED[`${type}.${name}`] ?? standard ?? empty);
    }
    await remove(id);
  });

  test.each(names)('%s is refused on create and on update for what is wrong', async (name) => {
    if (field(name).derived) return;
    const id = await world().create(type, least());
    for (const { sent, faults } of samples(name).bad) {
      const expected = { status: 400, key: 'MALFORMED', invalid: shifted(name, faults) };
      const body = { ...least(), ...withField(name, sent) };
      const ofUpdates = field(name).input === 'update';
      await play(world(), {
        name,
        method: 'POST',
        url: `/api/v0/${type}`,
        body,
        expect: ofUpdates ? { ...expected, invalid: [[name, 'NOT_WRITABLE']] } : expected,
      });
      await play(world(), {
        name,
        method: 'PUT',
        url: `/api/v0/${type}/${id}`,
        body: withField(name, sent),
        expect: expected,
      });
    }
    await remove(id);
  });

  test.each([...names, ...OF_EVERY_OBJECT])(
    '%s cannot be written if it is derived',
    async (name) => {
      if (!field(name).derived) return;
      const id = await world().create(type, least());
      const before = await world().read(type, id);
      const refusal = {
        status: 400,
        key: 'MALFORMED',
        invalid: [[name, 'NOT_WRITABLE', {}]] as const,
      };
      for (const value of [before[name], null, 'x']) {
        const body = { [name]: value };
        const url = `/api/v0/${type}`;
        await play(world(), { name, method: 'PUT', url: `${url}/${id}`, body, expect: refusal });
        if (name === 'id') continue;
        await play(world(), {
          name,
          method: 'POST',
          url,
          body: { ...least(), ...body },
          expect: refusal,
        });
      }
      await remove(id);
    },
  );

  test.each([...names, ...OF_EVERY_OBJECT, 'permissions'])(
    '%s is read by itself where nothing else is asked for',
    async (name) => {
      if (!isShown(name)) return;
      const id = await world().create(type, least());
      const whole = await world().read(type, id);
      expect(whole).toHaveProperty(name);
      expect(await world().read(type, id, `?fields=${name}`)).toEqual({ [name]: whole[name] });
      await remove(id);
    },
  );

  test('there are no fields beside those that are declared', async () => {
    const id = await world().create(type, least());
    const read = await world().read(type, id);
    const shown = names.filter(isShown);
    expect(Object.keys(read).sort()).toEqual([...shown, ...OF_EVERY_OBJECT, 'permissions'].sort());
  });
});
