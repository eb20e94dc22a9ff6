// @databases sqlite postgres
import { objectsOf, registryOf } from '#app/plugins/objects/server';
import type { Resource } from '#app/plugins/objects/server/declare/completed';
import {
  customFilters,
  filtersOf,
  sortable,
  subtreesOf,
  type FilterName,
} from '#app/plugins/objects/server/search/language/filters';
import * as limits from '#app/plugins/objects/server/search/language/limits';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { at, parsed, type Json } from '../helpers/json';
import { bearer, login, makePerson, responseOf, type Person } from '../helpers/people';
import { createRandom, type Random } from '../helpers/random';
import { inOrder, meets, meetsSpecial, type Readable, type Scene } from '../helpers/search-oracle';
import { settle } from '../helpers/settle';
import { photograph, uploadRequest } from '../helpers/upload';
import { useWorld } from '../helpers/world';
import { askersOf } from './search/askers';
import { addFillers, dropFillers, testApart } from './search/apart';
import { testArchives } from './search/archives';
import { testBrokenExports } from './search/broken-exports';
import { testExports, type Exports } from './search/exports';
import { testSuggestions } from './search/suggestions';
import { testNoWords } from './search/no-words';
import { CUSTOM, makersOf, REGIONS, TAXA, TIMES, WORDS } from './search/scene';

/** A search finds what a plain filter finds over what `read` gives its caller (contract, section 7). */
const SEED = Number(process.env['OMS_SEED'] ?? 17);
const ENCOUNTERS = 70;
const QUERIES = Number(process.env['OMS_QUERIES'] ?? 250);
const TYPES = ['encounter', 'individual', 'taxonomy', 'user', 'org', 'asset', 'collaboration'];
const world = useWorld({
  env: { LIMIT_READS: '10000000' },
  site: { regions: REGIONS, custom_fields: CUSTOM },
});
const callers: Record<string, Readonly<Record<string, string>>> = {
  nobody: {},
  moderator: authorizationOf('moderator'),
};
const seen: Record<string, Readable> = {};
/** Individuals that were merged into another: no search finds them. */
const merged: string[] = [];
let [parents, accepted] = [new Map<string, string | null>(), new Map<string, string>()];
const random: Random = createRandom(SEED);
const { pick, chance, among } = random;

const resourceOf = (type: string): Resource => {
  const found = registryOf(world().service.strapi).model().resources.get(type);
  if (!found) throw new Error(`no type ${type}`);
  return found;
};

const send = async (who: string, method: string, path: string, body?: Json): Promise<Json> => {
  const request = { method, url: `/api/v0/${path}`, headers: callers[who] ?? {} };
  const answer = await world().send(body ? { ...request, body } : request);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return responseOf(answer);
};
const create = async (who: string, type: string, body: Json): Promise<string> =>
  String((await send(who, 'POST', type, body))['id']);

const { text, maybe, encounter } = makersOf(random);

beforeAll(async () => {
  await openToRoles(world().service);
  const people: Person[] = [];
  for (const name of ['owner', 'partner', 'member', 'stranger']) {
    const person = await makePerson(world().service);
    callers[name] = bearer(await login(world(), person));
    people.push(person);
  }
  // They have been stored without the service.
  await objectsOf(world().service.strapi).rebuild();
  const [, partner] = people;
  const agreed = await create('owner', 'collaboration', { user: partner?.id, level: 'view' });
  await send('partner', 'PUT', `collaboration/${agreed}`, { state: 'accepted' });
  const orgs: string[] = [];
  for (const name of ['Éléphants', 'elephants too'])
    orgs.push(await create('owner', 'org', { name, description: text(), country_code: 'TZ' }));
  await send('member', 'POST', `org/${orgs[0]}/join`, {});
  await send('owner', 'POST', `org/${orgs[0]}/member`, { user: people[2]?.id, role: 'member' });
  const taxa: string[] = [];
  for (const [at, [name, parent = -1, accepted = -1]] of TAXA.entries())
    taxa.push(
      await create('moderator', 'taxonomy', {
        scientific_name: name,
        rank: pick(['species', 'genus', null]),
        vernacular_names: at > 1 && at < 5 ? { en: text(), nl: 'wilde eend' } : null,
        parent: taxa[parent] ?? null,
        ...(accepted < 0 ? {} : { status: 'synonym', accepted: taxa[accepted] }),
        location_privacy: at === 4 ? 'obscured' : null,
      }),
    );
  const animals: string[] = [];
  for (let n = 0; n < 8; n += 1)
    animals.push(
      await create(pick(['owner', 'stranger']), 'individual', {
        names: chance(0.8) ? [{ context: 'nickname', value: `${pick(WORDS)} ${n}` }] : [],
        taxonomy: maybe(() => pick(taxa)),
        sex: maybe(() => pick(['male', 'female'])),
        time_of_birth: maybe(() => pick(TIMES)),
        remarks: maybe(text),
        tags: among(WORDS, 1),
        relationships: n > 0 && chance(0.5) ? [{ individual: animals[0], type: 'sibling' }] : [],
      }),
    );
  const [twin = ''] = animals;
  const { taxonomy: twinTaxon } = await send('moderator', 'GET', `individual/${twin}`);
  for (const who of ['owner', 'stranger', 'stranger'])
    merged.push(
      await create(who, 'individual', {
        names: [{ context: 'nickname', value: `${pick(WORDS)} merged ${merged.length}` }],
        taxonomy: twinTaxon,
        tags: among(WORDS, 1),
        relationships: [{ individual: animals[1], type: 'mate' }],
      }),
    );
  const photographs: string[] = [];
  for (const [n, who] of ['owner', 'owner', 'stranger'].entries()) {
    const fields = { alt_text: { en: text() }, rights_holder: text() };
    const upload = { bytes: await photograph(), filename: `${pick(WORDS)} ${n}.jpg`, fields };
    const answer = await world().send(uploadRequest(upload, callers[who]));
    photographs.push(String(responseOf(answer)['id']));
  }
  const made: string[] = [];
  for (let n = 0; n < ENCOUNTERS; n += 1) {
    const who = pick(['owner', 'partner', 'stranger', 'owner']);
    const body = encounter(taxa, [...animals, ...merged], orgs);
    const assets = among(photographs.slice(0, 2), pick([0, 1, 2]));
    const mine = who === 'owner' ? { ...body, assets } : { ...body, organizations: [] };
    made.push(await create(who, 'encounter', mine));
  }
  for (const id of made)
    if (chance(0.2))
      await send('moderator', 'POST', `encounter/${id}/review`, { state: 'rejected' });
  // What has been made is changed, taken away, and told otherwise.
  for (const id of among(made, 12))
    await send('moderator', 'PUT', `encounter/${id}`, { remarks: text(), time: pick(TIMES) });
  await send('moderator', 'DELETE', `encounter/${made[0]}`);
  await send('moderator', 'DELETE', `individual/${animals.at(-1)}`);
  const [first = '', ...others] = merged;
  await send('moderator', 'POST', `individual/${first}/merge`, { from: others });
  await send('moderator', 'POST', `individual/${twin}/merge`, { from: [first] });
  await send('moderator', 'PUT', `taxonomy/${taxa[2]}`, {
    scientific_name: 'Anas renamed',
    location_privacy: 'private',
  });
  await readAll();
}, 300_000);

/** Everything that each caller may read, by single reads. What waits for a job would be told in the middle of a test. */
async function readAll(): Promise<void> {
  const { strapi } = world().service;
  await settle(world().service);
  for (const who of Object.keys(callers)) {
    const all = new Map<string, ReadonlyMap<string, Json>>();
    for (const type of TYPES) {
      const { table } = resourceOf(type);
      const rows = await strapi.db
        .connection(table)
        .select<{ document_id: string }[]>('document_id');
      const found = new Map<string, Json>();
      for (const { document_id: id } of rows) {
        const url = `/api/v0/${type}/${id}`;
        const answer = await world().send({ method: 'GET', url, headers: callers[who] ?? {} });
        if (answer.status !== 200) continue;
        if (merged.includes(id))
          expect(Object.keys(responseOf(answer)).sort()).toEqual(['id', 'merged_into']);
        else found.set(id, responseOf(answer));
      }
      all.set(type, found);
    }
    seen[who] = all;
  }
  const taxa = seen['moderator']?.get('taxonomy') ?? new Map<string, Json>();
  parents = new Map([...taxa].map(([id, taxon]) => [id, taxon['parent'] as string | null]));
  accepted = new Map(
    [...taxa].flatMap(([id, { accepted: name }]) => (typeof name === 'string' ? [[id, name]] : [])),
  );
}

const escaped = (value: unknown): string => String(value).replaceAll(',', '\\,');

/** A value that some object has, whoever may see it; now and then another one. */
function valueFor({ subject, comparison }: FilterName, objects: readonly Json[]): string {
  const { field } = subject;
  const values = objects.flatMap((object): unknown[] => {
    let value = object[field.name];
    if (subject.kind === 'custom') value = (value as Json | undefined)?.[subject.custom.key];
    if (subject.kind === 'name') value = (value as Json[]).map((name) => name['value']);
    if (field.kind === 'relationships')
      value = (value as Json[] | undefined)?.map((one) => one['individual']);
    return [value ?? null].flat();
  });
  const given = values.filter((value) => value !== null && value !== '');
  if (comparison === 'min' || comparison === 'max')
    return String(given.length > 0 ? pick(given) : '2021');
  const many = among(given, pick([1, 1, 2, 3])).map(escaped);
  return [...new Set([...many, ...(chance(0.15) || many.length === 0 ? ['null'] : [])])].join(',');
}

interface Asked {
  readonly query: URLSearchParams;
  readonly sort: string;
  readonly isFound: (scene: Scene, object: Json) => boolean;
}

/** A query of up to three conditions. */
function ask(type: string, all: readonly Json[]): Asked {
  const resource = resourceOf(type);
  const { customFields } = registryOf(world().service.strapi).site().current();
  const filters = [...filtersOf(resource), ...customFilters(resource, customFields[type] ?? [])];
  const query = new URLSearchParams();
  const conditions: Asked['isFound'][] = [];
  const specials: [string, () => string][] = [
    ...(resource.fields.has('latitude')
      ? ([
          [
            'bbox',
            () =>
              pick([
                '34,-3,35.5,-1',
                '170,-20,-170,10',
                '-180,-90,180,90',
                '0,50,10,90',
                '-180,-20,-170,0',
              ]),
          ],
          [
            'near',
            () =>
              pick([
                '-2.333,34.8333,25',
                '-17.5,180,50',
                '89.9,100,300',
                '0,0,25000',
                '-2.333,34.8333,0',
              ]),
          ],
        ] as [string, () => string][])
      : []),
    ...([...resource.fields.values()].some(({ words }) => words)
      ? [
          [
            'q',
            () =>
              pick([
                pick(WORDS),
                text(),
                'anas',
                'wilde ee',
                'quagg',
                'Anas renamed',
                'boschas',
                '%',
                pick(all)?.['id'] as string,
              ]),
          ] as [string, () => string],
        ]
      : []),
    ...subtreesOf(resource, registryOf(world().service.strapi).model().resources).map(
      ([name]): [string, () => string] => [name, () => pick([...parents.keys()])],
    ),
    ...(resource.fields.has('location_id')
      ? [
          ['location_id_under', () => pick(['africa', 'serengeti', 'camp', 'nowhere'])] as [
            string,
            () => string,
          ],
        ]
      : []),
  ];
  // Many have the same word, which leads from one to the next in the order of time.
  const isStreamed = type === 'encounter' && chance(0.15);
  if (isStreamed) {
    const word = pick(WORDS);
    query.set('q', word);
    conditions.push((scene, object) => meetsSpecial(scene, object, 'q', word));
  }
  for (let n = isStreamed ? pick([0, 0, 1]) : pick([0, 1, 1, 2, 3]); n > 0; n -= 1) {
    if (specials.length > 0 && chance(0.4)) {
      const [name, make] = pick(specials);
      if (query.has(name)) continue;
      const value = make();
      query.set(name, value);
      conditions.push((scene, object) => meetsSpecial(scene, object, name, value));
    } else {
      const filter = pick(filters);
      if (query.has(filter.name)) continue;
      const value = valueFor(filter, all);
      query.set(filter.name, value);
      conditions.push((scene, object) => meets(scene, object, filter, value));
    }
  }
  const keys = among(sortable(resource), pick([0, 1, 1, 1, 2, 3]));
  const names = isStreamed ? ['time'] : keys.map(({ name }) => name);
  const sort = names.map((name) => (chance(0.5) ? `-${name}` : name)).join(',');
  if (sort !== '') query.set('sort', sort);
  return { query, sort, isFound: (scene, object) => conditions.every((one) => one(scene, object)) };
}

/** All pages of a search, one after the other. */
async function findAll(
  who: string,
  type: string,
  query: URLSearchParams,
  limit: number,
): Promise<{ ids: string[]; totals: unknown[] }> {
  const ids: string[] = [];
  const totals: unknown[] = [];
  let cursor: string | null = null;
  do {
    const asked = new URLSearchParams(query);
    asked.set('limit', String(limit));
    if (cursor !== null) asked.set('cursor', cursor);
    const isCounted = chance(0.6);
    if (!isCounted) asked.set('count', 'none');
    const url = `/api/v0/search/${type}?${asked.toString()}`;
    const answer = await world().send({ method: 'GET', url, headers: callers[who] ?? {} });
    if (answer.status !== 200) throw new Error(`${who} ${url}: ${answer.status} ${answer.text}`);
    ids.push(...(at(parsed(answer.text), 'matches') as string[]));
    const { total } = responseOf(answer);
    if (isCounted) totals.push(total);
    else if (total !== undefined) throw new Error(`${url} gives a number`);
    cursor = at(parsed(answer.text), 'response', 'next') as string | null;
  } while (cursor !== null);
  return { ids, totals };
}

/** The IDs in an export, which finds in another way what there are many of. */
async function exportedIds(who: string, type: string, query: URLSearchParams): Promise<string[]> {
  const url = `/api/v0/export/${type}?format=csv&${query.toString()}`;
  const { text: csv } = await world().send({ method: 'GET', url, headers: callers[who] ?? {} });
  return [...csv.matchAll(/(?<=^|\r\n)[0-9a-f]{8}-[0-9a-f-]{27}(?=,)/g)].map(([id]) => id);
}

test(`search finds what a filter over reads finds (seed ${SEED})`, async () => {
  random.restart(SEED + 1); // other tests draw, too, make accounts without the service, and may come first
  await objectsOf(world().service.strapi).rebuild().then(readAll);
  // Few enough that many are ordered scans, in several pages.
  jest.replaceProperty(limits, 'MAX_SORTED', 8);
  jest.replaceProperty(limits, 'SORTED_PER_PASSED', 0);
  jest.replaceProperty(limits, 'EXPORT_SORTED', 12);
  jest.replaceProperty(limits, 'EXPORT_LIST', 7);
  jest.replaceProperty(limits, 'EXPORT_PAGE', 5);
  let found = 0;
  const wrong: unknown[] = [];
  for (let n = 0; n < QUERIES; n += 1) {
    // The second half among so many rows that searches run apart from reads.
    if (n === Math.floor(QUERIES / 2)) {
      await addFillers(world());
      jest.replaceProperty(limits, 'FEW', 6);
      jest.replaceProperty(limits, 'MAX_LISTED', 9);
      jest.replaceProperty(limits, 'EXAMINED_EARLY', 15);
    }
    const type = chance(0.6) ? 'encounter' : pick(TYPES);
    const known = [...(seen['moderator']?.get(type)?.values() ?? [])];
    const { query, sort, isFound } = ask(type, known);
    const who = pick(askersOf(Object.keys(callers), type, query));
    const readable = seen[who] ?? new Map<string, ReadonlyMap<string, Json>>();
    const resource = resourceOf(type);
    const scene = { resource, readable, parents, accepted, regions: REGIONS };
    const objects = [...(readable.get(type)?.values() ?? [])];
    const expected = inOrder(
      resource,
      objects.filter((object) => isFound(scene, object)),
      sort,
    );
    const { ids, totals } = await findAll(who, type, query, pick([1000, 1000, 7, 3]));
    found += ids.length;
    const all = type !== 'collaboration' && chance(0.3) ? await exportedIds(who, type, query) : ids;
    const isRight = [ids, all].every((list) => JSON.stringify(list) === JSON.stringify(expected));
    if (!isRight || totals.some((total) => total !== expected.length))
      wrong.push([who, type, decodeURIComponent(query.toString()), { ids, totals, expected }]);
  }
  jest.restoreAllMocks();
  await dropFillers(world());
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(found).toBeGreaterThan(QUERIES);
}, 600_000);

const get = (who: string, url: string) =>
  world().send({ method: 'GET', url: `/api/v0/search/${url}`, headers: callers[who] ?? {} });

test('what was merged is found by nobody, by nothing that it is or was', async () => {
  const [twin] = [...(seen['moderator']?.get('individual')?.values() ?? [])].filter(
    ({ names }) => (names as Json[]).filter(({ value }) => /merged/.test(String(value))).length > 2,
  );
  for (const who of Object.keys(callers)) {
    for (const query of [`id=${merged.join()}`, `q=${merged[0]}`]) {
      const { ids } = await findAll(who, 'individual', new URLSearchParams(query), 10);
      expect([query, ids]).toEqual([query, []]);
    }
    const readable = seen[who]?.get('individual')?.has(String(twin?.['id'])) ?? false;
    const words = new URLSearchParams({ q: 'merged' });
    const expected = readable ? [twin?.['id']] : [];
    expect((await findAll(who, 'individual', words, 10)).ids).toEqual(expected);
    for (const id of merged) {
      const [found, same] = [id, twin?.['id']].map((individual) =>
        findAll(who, 'encounter', new URLSearchParams({ individual: String(individual) }), 1000),
      );
      expect((await found)?.ids).toEqual((await same)?.ids);
    }
  }
}, 60_000);

test('a cursor is good for the query and the caller that it came from, and no other', async () => {
  const nextOf = async (who: string, url: string): Promise<string> =>
    String(at(parsed((await get(who, url)).text), 'response', 'next'));
  const query = 'encounter?limit=2&sort=-time';
  const cursor = await nextOf('stranger', query);
  expect(await nextOf('stranger', query)).toBe(cursor);
  const tampered = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
  const invalid = async (who: string, url: string): Promise<unknown> => {
    const { status, text: body } = await get(who, url);
    const faults = at(parsed(body), 'response', 'invalid') as Json[] | undefined;
    return [status, faults?.map(({ path, key }) => [path, key])];
  };
  const refused = [400, [['cursor', 'API_RESPONSE_FORMAT']]];
  expect(await invalid('stranger', `encounter?limit=5&sort=-time&cursor=${cursor}`)).toEqual([
    200,
    undefined,
  ]);
  for (const [who, url] of [
    ['stranger', `encounter?sort=time&cursor=${cursor}`],
    ['stranger', `encounter?sort=-time&sex=male&cursor=${cursor}`],
    ['stranger', `individual?cursor=${cursor}`],
    ['owner', `${query}&cursor=${cursor}`],
    ['nobody', `${query}&cursor=${cursor}`],
    ['stranger', `${query}&cursor=${tampered}`],
    ['stranger', `${query}&cursor=nonsense`],
    ['stranger', `${query}&cursor=`],
  ] as const)
    expect([url, await invalid(who, url)]).toEqual([url, refused]);
});

test('expand gives the objects as a read does, in the order of the matches', async () => {
  for (const who of Object.keys(callers)) {
    const { text: body } = await get(
      who,
      'encounter?sort=-time&limit=20&expand=true&include=owner,taxonomy,individual',
    );
    const matches = at(parsed(body), 'matches') as string[];
    const objects = at(parsed(body), 'response', 'objects') as Json[];
    expect(objects).toEqual(matches.map((id) => seen[who]?.get('encounter')?.get(id)));
    const owners = new Set(objects.flatMap(({ owner }) => owner ?? []));
    const included = at(parsed(body), 'response', 'included', 'user') as Json;
    expect(new Set(Object.keys(included))).toEqual(owners);
  }
  const { text: cut } = await get('owner', 'encounter?limit=1&expand=true&fields=id,time');
  const [object] = at(parsed(cut), 'response', 'objects') as Json[];
  expect(Object.keys(object ?? {})).toEqual(['id', 'time']);
});

test.each([
  ['bbox=1,2,3', 'bbox', 'FORMAT'],
  ['bbox=0,10,0,-10', 'bbox', 'FORMAT'],
  ['near=91,0,1', 'near', 'FORMAT'],
  ['taxonomy_under=x', 'taxonomy_under', 'FORMAT'],
  ['time_min=yesterday', 'time_min', 'FORMAT'],
  ['group_size_min=many', 'group_size_min', 'TYPE'],
  ['custom_fields.nothing=1', 'custom_fields.nothing', 'UNKNOWN'],
  ['custom_fields.water_temp=warm', 'custom_fields.water_temp', 'TYPE'],
  [`tags=${'x'.repeat(101)}`, 'tags', 'TOO_LONG'],
  ['sort=time,-time', 'sort', 'CONFLICT'],
  ['sort=remarks', 'sort', 'NOT_ONE_OF'],
  ['offset=10001', 'offset', 'TOO_LARGE'],
  ['count=all', 'count', 'NOT_ONE_OF'],
  ['fields=id', 'expand', 'REQUIRED'],
  [`q=${Array.from({ length: 17 }, (_, n) => `w${n}`).join('+')}`, 'q', 'TOO_LONG'],
  [`country_code=${Array.from({ length: 101 }, () => 'TZ').join()}`, 'country_code', 'TOO_LONG'],
])('%s is malformed', async (query, path, key) => {
  const { status, text: body } = await get('moderator', `encounter?${query}`);
  const faults = at(parsed(body), 'response', 'invalid') as Json[];
  const told = faults.map((fault) => [fault['path'], fault['key']]);
  expect([status, told]).toEqual([400, [[path, `API_RESPONSE_${key}`]]]);
});

test('counts are exact, bounded or none', async () => {
  const told = async (query: string): Promise<Json> =>
    at(parsed((await get('moderator', `encounter?limit=0${query}`)).text), 'response') as Json;
  const exact = { total: ENCOUNTERS - 1, total_is_exact: true };
  expect(await told('')).toMatchObject({ ...exact, next: null });
  expect(await told('&count=exact')).toMatchObject(exact);
  expect(await told('&count=none')).toEqual({ limit: 0, next: null });
});

testApart(world);
testNoWords((query) => get('moderator', `encounter?${query}`));

const exports: Exports = {
  callers,
  readableBy: (who, type) => seen[who]?.get(type) ?? new Map<string, Json>(),
  find: async (who) =>
    (await findAll(who, 'encounter', new URLSearchParams({ sort: '-time' }), 1000)).ids,
};
for (const tests of [testExports, testArchives, testBrokenExports, testSuggestions])
  tests(world, exports);
