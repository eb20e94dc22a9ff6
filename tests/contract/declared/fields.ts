import asset from '#app/api/asset/resource';
import encounter from '#app/api/encounter/resource';
import org from '#app/api/org/resource';
import individual from '#app/api/individual/resource';
import taxonomy from '#app/api/taxonomy/resource';
import user from '#app/api/user/resource';
import { registryOf } from '#app/plugins/objects/server';
import type { ResourceDeclaration } from '#app/plugins/objects/server/declare/declaration';
import { emptyOf } from '#app/plugins/objects/server/kinds';
import { isShown } from '#app/plugins/objects/server/read/reader';
import type { Field } from '#app/plugins/objects/server/declare/completed';
import type { Json } from '../../helpers/json';
import { play, type Fault } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import { type World } from '../../helpers/world';
import type { Samples } from '../sample';
import { SAMPLES, TARGET } from '../samples';

/** Every field of every type: the values that it accepts, and those that it refuses. */
export function testFields(world: () => World): void {
  /** What a field needs beside it to be accepted. */
  const COMPANIONS: Readonly<Record<string, Json>> = {
    'encounter.latitude': { longitude: 1 },
    'encounter.longitude': { latitude: 1 },
    'taxonomy.accepted': { status: 'synonym' },
    // An owner belongs to the orgs of an object.
    'encounter.organizations': { owner: TARGET },
    'individual.organizations': { owner: TARGET },
  };

  /** Fields whose default is not that of the declaration alone. */
  const FILLED: Readonly<Record<string, unknown>> = { 'user.language': 'en' };

  /** A form beside a file, in which all are texts: what is no text is told by its own tests. */
  const BY_FORM = 'asset';

  /** Fields that nobody reads. */
  const SECRET: readonly string[] = [
    'encounter.untold_since',
    'individual.untold_since',
    'user.password',
    'user.current_password',
    'encounter.claim',
    'encounter.claims',
    'encounter.from_assets',
    'asset.claim',
    'asset.file_key',
    'asset.thumbnail_size',
    'asset.small_size',
    'asset.large_size',
  ];

  /** Fields for which no value is right without settings of the site, or without a type that is not there yet. */
  const WITHOUT_VALUES: readonly string[] = [
    'encounter.location_id',
    'individual.photo_id',
    'user.photo_id',
    'org.logo_id',
    // Of an org without members there is nobody whom it can be given to: the tests of orgs do that.
    'org.owner',
  ];

  const OF_EVERY_OBJECT = ['id', 'version', 'created_at', 'updated_at'];

  let counter = 0;

  beforeAll(async () => {
    await world().create('taxonomy', { id: TARGET, scientific_name: 'The target' });
    await world().create('individual', { id: TARGET });
    await world().create('encounter', { id: TARGET });
    await world().create('asset', { id: TARGET });
    await world().create('user', { id: TARGET, name: 'The target', email: 'target@example.org' });
    await world().create('org', { id: TARGET, name: 'The target', owner: TARGET });
  });

  /** The least that an object of a type needs. */
  const LEAST: Readonly<Record<string, () => Json>> = {
    encounter: () => ({}),
    org: () => ({ name: `Org ${(counter += 1)}` }),
    asset: () => ({}),
    individual: () => ({}),
    taxonomy: () => ({ scientific_name: `Taxon ${(counter += 1)}` }),
    user: () => ({ name: 'Somebody', email: `user${(counter += 1)}@example.org` }),
  };

  describe.each([
    ['encounter', encounter],
    ['asset', asset],
    ['org', org],
    ['individual', individual],
    ['taxonomy', taxonomy],
    ['user', user],
  ] satisfies [string, ResourceDeclaration][])('each field of %s', (type, declaration) => {
    const names = Object.keys(declaration.fields);
    const isIn = (list: readonly string[]) => (name: string) => list.includes(`${type}.${name}`);
    // A list that may be given on create alone, and what is given without an account alone, have their own tests.
    const written = names.filter(
      (name) =>
        name !== 'claim' &&
        declaration.fields[name]?.derived !== true &&
        declaration.fields[name]?.inverse === undefined,
    );
    const valued = written.filter((name) => !isIn([...SECRET, ...WITHOUT_VALUES])(name));
    const read = [...names.filter((name) => !isIn(SECRET)(name)), ...OF_EVERY_OBJECT];
    const derived = [
      ...names.filter((name) => declaration.fields[name]?.derived === true && !isIn(SECRET)(name)),
      ...OF_EVERY_OBJECT,
    ];

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

    const samples = (name: string): Samples => SAMPLES[field(name).kind](field(name));

    async function remove(id: string): Promise<void> {
      await world().send({ method: 'DELETE', url: `/api/v0/${type}/${id}` });
    }

    const shifted = (name: string, faults: readonly Fault[]): Fault[] =>
      faults.map(([path, key, args]) =>
        args === undefined ? [name + path, key] : [name + path, key, args],
      );

    test('is in the tables of this file as it is declared', () => {
      const fields = [
        ...registryOf(world().service.strapi).model().type(type).resource.fields.values(),
      ];
      expect(
        fields
          .filter(isShown)
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...read].sort());
      const shown = fields.filter((one) => !one.derived && !one.inverse && isShown(one));
      const withValues = shown.filter((one) => SAMPLES[one.kind](one).good.length > 0);
      const isWithout = ({ name }: Field) => isIn(WITHOUT_VALUES)(name);
      expect(
        withValues
          .filter((one) => !isWithout(one))
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...valued].sort());
    });

    test.each(valued)('%s is created, read and recorded as it is kept', async (name) => {
      for (const { sent, kept } of samples(name).good) {
        const id = await world().create(type, { ...least(), ...withField(name, sent) });
        expect({ sent, kept: (await world().read(type, id))[name] }).toEqual({ sent, kept });
        const [entry] = await historyOf(world().service, id);
        expect(entry).toMatchObject({ action: 'create', version: 1, type });
        const told = entry?.changes.find(({ path }) => path === name);
        expect(told?.after ?? emptyOf(field(name))).toEqual(kept);
        await remove(id);
      }
    });

    test.each(valued)('%s is updated to each of its values, and cleared by null', async (name) => {
      const id = await world().create(type, least());
      for (const { sent, kept } of samples(name).good) {
        await world().update(type, id, withField(name, sent));
        expect({ sent, kept: (await world().read(type, id))[name] }).toEqual({ sent, kept });
      }
      const { required, nullable, default: standard } = field(name);
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
        const now = await world().read(type, id);
        expect(now[name]).toEqual(FILLED[`${type}.${name}`] ?? (nullable ? null : standard));
      }
      await remove(id);
    });

    test.each(written)('%s is refused on create and on update for what is wrong', async (name) => {
      const id = await world().create(type, least());
      const { bad } = samples(name);
      expect(bad).not.toEqual([]);
      for (const { sent, faults } of bad) {
        const expected = { status: 400, key: 'MALFORMED', invalid: shifted(name, faults) };
        const body = { ...least(), ...withField(name, sent) };
        const { input } = field(name);
        const notWritable: readonly Fault[] = [[name, 'NOT_WRITABLE']];
        if (type !== BY_FORM)
          await play(world(), {
            name,
            method: 'POST',
            url: `/api/v0/${type}`,
            body,
            expect: input === 'update' ? { ...expected, invalid: notWritable } : expected,
          });
        await play(world(), {
          name,
          method: 'PUT',
          url: `/api/v0/${type}/${id}`,
          body: input === 'create' ? { [name]: null } : withField(name, sent),
          expect: input === 'create' ? { ...expected, invalid: notWritable } : expected,
        });
      }
      await remove(id);
    });

    test.each(derived)('%s is derived, and cannot be written', async (name) => {
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
        if (name === 'id' || type === BY_FORM) continue;
        await play(world(), {
          name,
          method: 'POST',
          url,
          body: { ...least(), ...body },
          expect: refusal,
        });
      }
      await remove(id);
    });

    test.each([...read, 'permissions'])(
      '%s is read by itself where nothing else is asked for',
      async (name) => {
        const id = await world().create(type, least());
        const whole = await world().read(type, id);
        expect(whole).toHaveProperty(name);
        expect(await world().read(type, id, `?fields=${name}`)).toEqual({ [name]: whole[name] });
        await remove(id);
      },
    );

    test('there are no fields beside those that are declared', async () => {
      const id = await world().create(type, least());
      const found = await world().read(type, id);
      expect(Object.keys(found).sort()).toEqual([...read, 'permissions'].sort());
    });
  });
}
