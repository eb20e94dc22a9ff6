import { tokensOf } from '#app/core/words';
import { at, parsed, type Json } from '../../helpers/json';
import { createRandom } from '../../helpers/random';
import { bearer, login, makePerson } from '../../helpers/people';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';
import type { Exports } from './exports';

/** What is suggested is found by a search, in the order of the ranks (contract, section 7). */
const SEED = Number(process.env['OMS_SEED'] ?? 23);
const QUERIES = Number(process.env['OMS_QUERIES'] ?? 250);
const TYPES = ['taxonomy', 'individual', 'org', 'user'];

interface Name {
  readonly language: string;
  readonly text: string;
}

/** The names of an object as it is read. */
const namesOf = (type: string, object: Json): Name[] => {
  if (type === 'individual')
    return (object['names'] as Json[]).map(({ value }) => ({ language: '', text: String(value) }));
  if (type !== 'taxonomy') return [{ language: '', text: String(object['name']) }];
  const vernacular = Object.entries((object['vernacular_names'] ?? {}) as Json);
  return [
    { language: '', text: String(object['scientific_name']) },
    ...vernacular.map(([language, text]) => ({ language, text: String(text) })),
  ];
};

/** Whether one letter is wrong, missing or added, or two neighbors are swapped. */
function isOneTypo(typed: string, name: string): boolean {
  if (typed === name) return false;
  let from = 0;
  while (from < typed.length && typed[from] === name[from]) from += 1;
  const [a, b] = [typed.slice(from), name.slice(from)];
  const swapped = `${a[1] ?? ''}${a[0] ?? ''}${a.slice(2)}`;
  return [a.slice(1) === b.slice(1), a.slice(1) === b, a === b.slice(1), swapped === b].some(
    Boolean,
  );
}

/** How well a name is met: the smaller the better; null for not at all. */
type Rank = readonly [rank: number, language: number, key: string];

function rankOf(type: string, object: Json, typed: string, language: string): Rank | null {
  const ranks = namesOf(type, object).flatMap((name): Rank[] => {
    const tokens = tokensOf(name.text);
    const spoken = name.language === '' ? 1 : name.language === language ? 0 : 2;
    return tokens.flatMap((_, from): Rank[] => {
      const key = tokens.slice(from).join(' ');
      const isFirst = from === 0;
      const lengths = [-1, 0, 1].map((more) => typed.length + more);
      const isTypo = lengths.some(
        (end) => end <= key.length && isOneTypo(typed, key.slice(0, end)),
      );
      const isWholeTypo = isOneTypo(typed, key);
      let rank = null;
      if (isFirst && key === typed) rank = 0;
      else if (key.startsWith(typed)) rank = isFirst ? 1 : 2;
      else if (isWholeTypo && isFirst) rank = 3;
      else if (typed.length > 3 ? isTypo : typed.length === 3 && isWholeTypo)
        rank = isFirst ? 4 : 5;
      return rank === null ? [] : [[rank, spoken, key]];
    });
  });
  return ranks.toSorted(inOrder)[0] ?? null;
}

const inOrder = (a: Rank, b: Rank): number => {
  for (const [n, one] of a.entries()) {
    const other = b[n] ?? 0;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
};

export function testSuggestions(world: () => World, { callers, readableBy }: Exports): void {
  const ask = async (
    who: string,
    type: string,
    query: Readonly<Record<string, string>>,
    language?: string,
  ): Promise<Json[]> => {
    const url = `/api/v0/suggest/${type}?${new URLSearchParams(query).toString()}`;
    const headers = { ...callers[who], ...(language ? { 'Accept-Language': language } : {}) };
    const { status, text } = await world().send({ method: 'GET', url, headers });
    if (status !== 200) throw new Error(`${who} ${url}: ${status} ${text}`);
    return at(parsed(text), 'response', 'suggestions') as Json[];
  };

  test(`suggestions are the names of what the caller reads, by rank (seed ${SEED})`, async () => {
    const { pick, chance, next } = createRandom(SEED);
    const between = (min: number, max: number): number =>
      min + Math.floor(next() * (max - min + 1));
    const typo = (text: string): string => {
      const n = between(0, text.length - 1);
      const [before, after] = [text.slice(0, n), text.slice(n)];
      const other = pick([...'aeiostx 1']);
      return pick([
        before + other + after.slice(1),
        before + after.slice(1),
        before + other + after,
        before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2),
      ]);
    };
    const wrong: unknown[] = [];
    let [found, misspelt] = [0, 0];
    for (let n = 0; n < QUERIES; n += 1) {
      const type = pick(TYPES);
      const all = [...readableBy('moderator', type).values()];
      const tokens = tokensOf(pick(namesOf(type, pick(all)))?.text ?? 'x');
      const name = tokens.slice(between(0, tokens.length - 1)).join(' ');
      const begun = name.slice(0, between(1, Math.max(1, name.length)));
      const typed = tokensOf(chance(0.5) ? typo(begun) : begun).join(' ');
      const [who, language] = [pick(Object.keys(callers)), pick(['en', 'nl', 'fr'])];
      const limit = pick([1, 3, 10, 50]);
      const answers = await ask(
        who,
        type,
        { q: typed, limit: String(limit) },
        `${language}, *;q=0.1`,
      );
      const readable = readableBy(who, type);
      const ranks = new Map(
        [...readable].flatMap(([id, object]) => {
          const rank = typed === '' ? null : rankOf(type, object, typed, language);
          return rank ? [[id, rank] as const] : [];
        }),
      );
      const expected = [...ranks.values()].toSorted(inOrder).slice(0, limit);
      const given = answers.map(({ id }) => ranks.get(String(id)) ?? null);
      const isOnce = new Set(answers.map(({ id }) => id)).size === answers.length;
      if (!isOnce || JSON.stringify(given) !== JSON.stringify(expected))
        wrong.push([who, type, typed, language, limit, { answers, given, expected }]);
      found += given.length;
      misspelt += given.filter((rank) => (rank?.[0] ?? 0) > 2).length;
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(found).toBeGreaterThan(QUERIES);
    expect(misspelt).toBeGreaterThan(QUERIES / 10);
  }, 300_000);

  test('a taxon is suggested with its rank and parent, an individual with its picture, and names in the language first', async () => {
    const headers = { ...callers['moderator'] };
    const make = async (type: string, body: Json): Promise<string> => {
      const answer = await world().send({ method: 'POST', url: `/api/v0/${type}`, headers, body });
      return String(at(parsed(answer.text), 'response', 'id'));
    };
    const genus = await make('taxonomy', { scientific_name: 'Qwertia', rank: 'genus' });
    const species = await make('taxonomy', {
      scientific_name: 'Qwertia zuiderzee',
      rank: 'species',
      parent: genus,
      vernacular_names: { 'pt-BR': 'qwertião', fr: 'grande qwertie' },
    });
    const ids = async (q: string, language: string): Promise<unknown[]> =>
      (await ask('nobody', 'taxonomy', { q }, language)).map(({ id, matched }) => [id, matched]);
    expect(await ids('qwerti', 'en')).toEqual([
      [genus, 'Qwertia'],
      [species, 'Qwertia zuiderzee'],
    ]);
    expect(await ids('qwerti', 'pt-PT')).toEqual([
      [species, 'qwertião'],
      [genus, 'Qwertia'],
    ]);
    expect(await ids('qwertie', 'de')).toEqual([
      [species, 'grande qwertie'],
      [genus, 'Qwertia'],
    ]);
    expect(await ids('Zuidrezee', 'en')).toEqual([[species, 'Qwertia zuiderzee']]);
    expect(await ask('nobody', 'taxonomy', { q: 'zuider' })).toEqual([
      {
        id: species,
        text: 'Qwertia zuiderzee',
        matched: 'Qwertia zuiderzee',
        detail: {
          scientific_name: 'Qwertia zuiderzee',
          rank: 'species',
          vernacular_names: { 'pt-BR': 'qwertião', fr: 'grande qwertie' },
          parent: { id: genus, display_name: 'Qwertia' },
        },
      },
    ]);
    const upload = { bytes: await photograph(), filename: 'qwerty.jpg' };
    const photo = parsed((await world().send(uploadRequest(upload, headers))).text);
    const body = {
      names: [{ context: 'nickname', value: 'Qwerty the Second' }],
      taxonomy: species,
      photo_id: at(photo, 'response', 'path'),
    };
    const animal = await make('individual', body);
    const [shown] = await ask('nobody', 'individual', { q: 'qwerty teh' });
    expect(shown).toMatchObject({
      id: animal,
      text: 'Qwerty the Second',
      detail: { taxonomy: { id: species, display_name: 'Qwertia zuiderzee' } },
    });
    expect(at(shown, 'detail', 'renditions', 'thumbnail', 'path')).toMatch(/size=thumbnail$/);
    for (const [type, id] of [
      ['individual', animal],
      ['taxonomy', species],
      ['taxonomy', genus],
    ])
      await world().send({ method: 'DELETE', url: `/api/v0/${type}/${id}`, headers });
    expect(await ask('moderator', 'taxonomy', { q: 'qwertia' })).toEqual([]);
    expect(await ask('moderator', 'individual', { q: 'qwerty' })).toEqual([]);
  });

  test('without Accept-Language the language of the account counts', async () => {
    const person = await makePerson(world().service);
    const headers = bearer(await login(world(), person));
    const url = `/api/v0/user/${person.id}`;
    await world().send({ method: 'PUT', url, headers, body: { language: 'nl' } });
    const answer = await world().send({
      method: 'GET',
      url: '/api/v0/suggest/taxonomy?q=wilde&limit=1',
      headers,
    });
    const [first] = at(parsed(answer.text), 'response', 'suggestions') as Json[];
    expect(first?.['matched']).toBe('wilde eend');
  });

  test('nobody is suggested by an address', async () => {
    const person = await makePerson(world().service, { username: 'quetzalcoatlus' });
    for (const q of [person.email, 'quetzalcoatlus'])
      expect(await ask('moderator', 'user', { q })).toEqual([]);
  });

  test.each([
    ['', [['q', 'REQUIRED']]],
    ['q=%E2%98%83&limit=0', [['limit', 'TOO_SMALL']]],
    ['q=a&limit=51', [['limit', 'TOO_LARGE']]],
    ['q=a&limit=many', [['limit', 'TYPE']]],
    [
      `q=${'x'.repeat(257)}&sort=name`,
      [
        ['q', 'TOO_LONG'],
        ['sort', 'UNKNOWN'],
      ],
    ],
  ])('%s is malformed', async (query, expected) => {
    const url = `/api/v0/suggest/taxonomy?${query}`;
    const { status, text } = await world().send({ method: 'GET', url });
    const invalid = at(parsed(text), 'response', 'invalid') as Json[];
    const told = invalid.map(({ path, key }) => [path, String(key).replace('API_RESPONSE_', '')]);
    expect([status, told]).toEqual([400, expected]);
  });

  test('what has no word suggests nothing', async () => {
    for (const q of ['', '  ', '%_*'])
      expect(await ask('moderator', 'taxonomy', { q })).toEqual([]);
  });
}
