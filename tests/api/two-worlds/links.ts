import { registryOf } from '#app/plugins/objects/server';
import type { Field, Resource } from '#app/plugins/objects/server/declare/completed';
import { customFilters, filtersOf } from '#app/plugins/objects/server/search/language/filters';
import { authorizationOf } from '../../helpers/callers';
import { at, parsed, type Json } from '../../helpers/json';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';

/** What one record of a pair refers to; both have the same, but for photographs, which have a rule of their own. */
interface Known {
  readonly owner: string;
  readonly org: string;
  readonly individual: string;
  readonly asset: string;
  readonly portrait: string;
  readonly parent: string;
}

const TIME = '2021-06-13T14:05+02:00';
/** Another day of the same month: months are shared by many. */
const OTHER_TIME = '2021-06-20T08:00+02:00';

/** The values of the fields of a record: `n` is the same for both of a pair, and another one for what is beside them. */
const valueOf = (field: Field, n: number, known: Known, taxon: string): unknown => {
  const { name, kind, to, choices } = field;
  const text = `${name.replaceAll('_', ' ')} number ${n}`;
  const referred: Readonly<Record<string, string>> = {
    user: known.owner,
    org: known.org,
    individual: known.individual,
    asset: known.asset,
    // A class that many share.
    taxonomy: taxon,
  };
  const target = referred[to ?? ''] ?? '';
  const byKind: Readonly<Partial<Record<Field['kind'], () => unknown>>> = {
    text: () => text,
    uuid: () => `0a0a0a0a-1111-4000-8000-${String(n).padStart(12, '0')}`,
    time: () => (n === 1 ? TIME : OTHER_TIME),
    number: () => (name === 'longitude' ? 34.8 : name === 'latitude' ? -2.3 : 40) + n / 1000,
    integer: () => 40 + n,
    boolean: () => true,
    choice: () => choices[0],
    region: () => 'camp',
    country: () => (n === 1 ? 'TZ' : 'KE'),
    texts: () => [text],
    localized: () => ({ en: text }),
    measurements: () => [{ type: text, value: n, unit: 'm' }],
    customFields: () => ({ herd: 'north', tree: text }),
    individualNames: () => [{ context: 'catalog', value: text, preferred: true }],
    relationships: () => [{ individual: known.parent, type: 'sibling' }],
    reference: () => target,
    references: () => [target],
    path: () => `/api/v0/asset/${known.portrait}/file`,
  };
  const made = byKind[kind];
  if (!made) throw new Error(`no value of the field ${name}`);
  return made();
};

/** Fields that are not shared: what decides over the view, and what one record alone can have. */
const OWN: ReadonlySet<string> = new Set(['id', 'location_privacy', 'merged_into', 'encounters']);

/** All texts and numbers of an answer, with the field that has them. */
const leaves = (value: unknown, path: string): (readonly [path: string, value: string])[] => {
  if (value === null || value === undefined || typeof value === 'boolean') return [];
  if (typeof value === 'string' || typeof value === 'number') return [[path, String(value)]];
  return Object.entries(value as Json).flatMap(([key, item]) =>
    leaves(item, Array.isArray(value) ? path : `${path}${path === '' ? '' : '.'}${key}`),
  );
};

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * A value on two records that only one animal, place or moment has would lead from a hidden record to an open one. For each
 * field of the declarations a pair of records has the same value; beside them are open records that share only what is a
 * class. Nothing that a stranger is told of the hidden one finds the open one of the pair alone.
 */
export function describeLinks(world: () => World): void {
  describe('a hidden record and an open one with the same values', () => {
    const admin = authorizationOf('administrator');
    const resourceOf = (type: string): Resource => {
      const resource = registryOf(world().service.strapi).model().resources.get(type);
      if (!resource) throw new Error(`no type ${type}`);
      return resource;
    };

    const send = async (method: string, url: string, body?: Json): Promise<Json> => {
      const path = `/api/v0/${url}`;
      const answer = await world().send({ method, url: path, headers: admin, body });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return responseOf(answer);
    };
    const post = async (type: string, body: Json): Promise<string> =>
      String((await send('POST', type, body))['id']);

    const bodyOf = (type: string, n: number, known: Known, taxon: string): Json => {
      const fields = [...resourceOf(type).fields.values()].filter(
        ({ name, derived, input, kind, onCreate }) =>
          !derived && !OWN.has(name) && !onCreate && kind !== 'secret' && input === null,
      );
      return Object.fromEntries(
        fields.map((field) => [field.name, valueOf(field, n, known, taxon)]),
      );
    };

    /** A photograph of an owner; its values are those of the first pair. */
    const upload = async (owner: string, n: number): Promise<string> => {
      const alt_text = { en: 'alt text number 1' };
      const fields = { alt_text, license: 'CC0-1.0', rights_holder: 'rights holder 1', owner };
      const bytes = await photograph(24 + n, 16);
      const answer = await world().send(uploadRequest({ bytes, fields }, admin));
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return String(responseOf(answer)['id']);
    };

    /** What the records of a pair refer to. */
    const knownOf = async (n: number, taxon: string): Promise<Known> => {
      const owner = (await makePerson(world().service)).id;
      const org = await post('org', { name: `Org of pair ${n}`, owner });
      return {
        owner,
        org,
        individual: await post('individual', { taxonomy: taxon }),
        asset: await upload(owner, n),
        portrait: await upload(owner, 10 + n),
        parent: await post('individual', { taxonomy: taxon }),
      };
    };

    const hidden: (readonly [type: string, id: string])[] = [];
    /** Open records: the one of the pair, and those beside it. */
    const open = new Map<string, readonly [twin: string, ...beside: string[]]>();
    let stranger: Readonly<Record<string, string>>;

    beforeAll(async () => {
      stranger = bearer(await login(world(), await makePerson(world().service)));
      const plain = await post('taxonomy', { scientific_name: 'Connochaetes' });
      const shy = await post('taxonomy', {
        scientific_name: 'Manis',
        location_privacy: 'obscured',
      });
      const knowns = [await knownOf(1, plain), await knownOf(2, plain), await knownOf(3, plain)];
      const [known] = knowns;
      if (!known) throw new Error('nothing is known');
      for (const type of ['encounter', 'individual']) {
        const made: string[] = [];
        for (const [at, one] of knowns.entries())
          made.push(await post(type, bodyOf(type, at + 1, one, plain)));
        const [twin = '', ...beside] = made;
        open.set(type, [twin, ...beside]);
      }
      const asset = await upload(known.owner, 4);
      const shared = bodyOf('encounter', 1, { ...known, asset }, plain);
      for (const location_privacy of ['obscured', 'private'])
        // The two are a key together: each is shared by itself.
        for (const name of ['source', 'external_id']) {
          const key = { [name]: `${location_privacy} without ${name}` };
          hidden.push([
            'encounter',
            await post('encounter', { ...shared, location_privacy, ...key }),
          ]);
        }
      hidden.push(['individual', await post('individual', bodyOf('individual', 1, known, shy))]);
      hidden.push(['asset', asset]);
    }, 60_000);

    const find = async (url: string): Promise<readonly unknown[]> => {
      const { status, text } = await world().send({ method: 'GET', url, headers: stranger });
      return status === 200 ? (at(parsed(text), 'matches') as unknown[]) : [];
    };

    /** The fields of hidden records whose told value finds the open record of the pair and not those beside it. */
    async function links(): Promise<string[]> {
      const told: string[] = [];
      const asked = new Map<string, Promise<readonly unknown[]>>();
      for (const [type, id] of hidden) {
        const url = `/api/v0/${type}/${id}`;
        const answer = await world().send({ method: 'GET', url, headers: stranger });
        if (answer.status !== 200) continue;
        for (const [path, value] of leaves(responseOf(answer), '')) {
          if (path === 'id' || path === 'permissions') continue;
          const values = new Set([value, UUID.exec(value)?.[0] ?? value]);
          for (const [other, [twin, ...beside]] of open) {
            const resource = resourceOf(other);
            const { customFields } = registryOf(world().service.strapi).model().site();
            const filters = [
              ...filtersOf(resource),
              ...customFilters(resource, customFields[other] ?? []),
            ].filter(({ comparison }) => comparison === 'is');
            const queries = [...filters.map(({ name }) => name), 'q'].flatMap((name) =>
              [...values].map((one) => `${name}=${encodeURIComponent(one.replaceAll(',', '\\,'))}`),
            );
            for (const query of queries) {
              const url = `/api/v0/search/${other}?${query}`;
              if (!asked.has(url)) asked.set(url, find(url));
              const matches = (await asked.get(url)) ?? [];
              if (matches.includes(twin) && !beside.every((one) => matches.includes(one)))
                told.push(`${type}.${path.split('.')[0]} to ${other}`);
            }
          }
        }
      }
      return [...new Set(told)].sort();
    }

    test('are joined by nothing that a stranger is told', async () => {
      expect(await links()).toEqual(OF_ANIMALS);
    }, 120_000);

    test('are joined by persons where the site tells them', async () => {
      await send('PUT', 'site_settings', { show_owner_when_hidden: true });
      try {
        const found = (await links()).filter((one) => !OF_ANIMALS.includes(one));
        for (const one of found) expect(one).toMatch(/\.(owner|organizations|source) to /);
        const persons = [
          'encounter.organizations to encounter',
          'encounter.organizations to individual',
          'encounter.owner to encounter',
          'encounter.owner to individual',
          'encounter.source to encounter',
          'individual.organizations to encounter',
          'individual.organizations to individual',
          'individual.owner to encounter',
          'individual.owner to individual',
        ];
        expect(found).toEqual(expect.arrayContaining(persons));
      } finally {
        await send('PUT', 'site_settings', { show_owner_when_hidden: false });
      }
    }, 120_000);
  });
}

/** What is told of an animal: it leads to other individuals, of which no hidden encounter is told. */
const OF_ANIMALS = [
  'individual.name to individual',
  'individual.names to individual',
  'individual.photo_id to individual',
  'individual.relationships to individual',
];
