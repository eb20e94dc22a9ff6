import { backgroundOf, databaseOf, objectsOf } from '#app/plugins/objects/server';
import * as limits from '#app/plugins/objects/server/search/language/limits';
import { authorizationOf } from '../../helpers/callers';
import { testDatabase } from '../../helpers/database';
import { at, parsed, type Json } from '../../helpers/json';
import { useMembers, type Member, type Who } from '../../helpers/members';
import { bearer, responseOf } from '../../helpers/people';
import { story } from '../../helpers/story';
import { useSettings, type World } from '../../helpers/world';

const TABLE = 'oms_search_encounters';

/** The hidden words of the record that is looked for: alone, begun, together, as a phrase, and of its individual. */
const ASKED = ['quillback', 'Quíllb RIDGE', '马湖 K-17-x', 'nyota'];

/** Who finds what is not open by its hidden words; and that an index of words reads nothing for anybody else. */
export function testWords(world: () => World): void {
  const { as, newPerson } = useMembers(world);
  const knex = () => world().service.strapi.db.connection;

  const create = async (who: Who, type: string, body: Json): Promise<string> =>
    String(responseOf(await as(who, 'POST', type, body))['id']);
  const matches = async (headers: Readonly<Record<string, string>>, query: string) => {
    const url = `/api/v0/search/encounter?${query}`;
    const answer = await world().send({ method: 'GET', url, headers });
    return at(parsed(answer.text), 'matches') as string[];
  };
  const headersOf = (who: Member | null) => (who ? bearer(who.secret) : {});
  /** Which of these queries find an encounter, the first of them in each form of a page. */
  const found = async (
    who: Who,
    id: string,
    asked: readonly string[] = ASKED,
  ): Promise<string[]> => {
    const by: string[] = [];
    for (const [n, words] of asked.entries()) {
      const q = `q=${encodeURIComponent(words)}`;
      const pages: boolean[] = [];
      for (const query of n === 0 ? [q, `${q}&sort=-time&count=none`] : [q]) {
        const { text } = await as(who, 'GET', `search/encounter?${query}`);
        pages.push((at(parsed(text), 'matches') as string[]).includes(id));
      }
      if (new Set(pages).size > 1)
        throw new Error(`${words} is found by some pages: ${pages.join()}`);
      if (pages[0]) by.push(words);
    }
    return by;
  };

  const agree = async (from: Member, to: Member, level: string): Promise<string> => {
    const id = await create(from, 'collaboration', { user: to.id, level });
    await as(to, 'PUT', `collaboration/${id}`, { state: 'accepted' });
    return id;
  };

  let taxonomy = '';
  beforeAll(async () => {
    taxonomy = await create('moderator', 'taxonomy', {
      scientific_name: 'Quilla',
      location_privacy: 'open',
    });
  });
  const hidden = (body: Json): Json => ({
    ...{ taxonomy, location_privacy: 'private', time: '2020-02-03', sex: 'female' },
    ...{ remarks: 'Quillback ridge 斑马湖', external_id: `K 17 x ${Math.random()}`, ...body },
  });

  describe('what is not open', () => {
    let [owner, viewer, editor, member, stranger]: Member[] = [];
    let [org, individual, id]: string[] = [];
    let collaborations: string[] = [];

    const people = () => ({ owner, viewer, editor, member, stranger }) as Record<string, Member>;
    /** Who of all finds it by all of its words; nobody does so by some of them. */
    const finders = async (asked?: readonly string[]): Promise<string[]> => {
      const names: string[] = [];
      const all: [string, Who][] = [
        ...Object.entries(people()),
        ['nobody', null],
        ['moderator', 'moderator'],
      ];
      for (const [name, who] of all) {
        const by = await found(who, id ?? '', asked);
        if (by.length > 0)
          names.push(by.length === (asked ?? ASKED).length ? name : `${name} ${by.join()}`);
      }
      return names;
    };

    beforeAll(async () => {
      for (const name of ['owner', 'viewer', 'editor', 'member', 'stranger'] as const) {
        const person = await newPerson();
        if (name === 'owner') owner = person;
        else if (name === 'viewer') viewer = person;
        else if (name === 'editor') editor = person;
        else if (name === 'member') member = person;
        else stranger = person;
      }
      if (!owner || !viewer || !editor || !member || !stranger) throw new Error('people');
      // They have been stored without the service.
      await objectsOf(world().service.strapi).rebuild();
      org = await create(owner, 'org', { name: 'Ridge watch' });
      await as(member, 'POST', `org/${org}/join`, {});
      await as(owner, 'POST', `org/${org}/member`, { user: member.id, role: 'member' });
      collaborations = [await agree(owner, viewer, 'view'), await agree(editor, owner, 'edit')];
      individual = await create(owner, 'individual', {
        names: [{ context: 'nickname', value: 'Nyota' }],
      });
      id = await create(owner, 'encounter', hidden({ individual, organizations: [org] }));
      // So that a stranger has marks of its own as well.
      await create(stranger, 'encounter', hidden({ remarks: 'something else', external_id: null }));
    });

    const ALL = ['owner', 'viewer', 'editor', 'member', 'moderator'];

    /** What no index may read for a caller: rows of others that are not open, by the queries of its searches. */
    async function readFor(who: Who, asked: readonly string[]): Promise<unknown[]> {
      const { words } = databaseOf(world().service.strapi).dialect;
      const query = jest.spyOn(words, 'query');
      try {
        for (const one of asked)
          await as(who, 'GET', `search/encounter?q=${encodeURIComponent(one)}`);
        const queries = query.mock.results.map(({ value }) => String(value));
        expect(queries.length).toBeGreaterThan(0);
        const read = new Set<unknown>();
        for (const one of queries) for (const row of await keysBy(one)) read.add(row);
        return [...read];
      } finally {
        query.mockRestore();
      }
    }

    const keysBy = async (query: string): Promise<readonly unknown[]> => {
      const [from, meets] =
        testDatabase === 'postgres'
          ? [`${TABLE} s`, 's.words @@ cast(? as tsquery)']
          : [`${TABLE}_words f join ${TABLE} s on s.key = f.rowid`, `${TABLE}_words match ?`];
      return knex()
        .from(knex().raw(from))
        .whereRaw(meets, [query])
        .where('s.audience', 2)
        .pluck('s.document_id');
    };

    // In this order: what one leaves is where the next begins.
    story(
      'the words of what is not open',
      [
        [
          'find it for those who see it as it is stored, and for nobody else',
          async () => {
            expect(await finders()).toEqual(ALL);
          },
        ],
        [
          'find it for whoever has more marks than one query takes',
          async () => {
            jest.replaceProperty(limits, 'MAX_MARKS', 1);
            try {
              expect(await finders()).toEqual(ALL);
            } finally {
              jest.restoreAllMocks();
            }
          },
        ],
        [
          'find it with the collaborations, the orgs and the members of the moment',
          async () => {
            const [first, second] = collaborations;
            await as(viewer ?? null, 'PUT', `collaboration/${first}`, { state: 'ended' });
            expect(await finders()).toEqual(ALL.filter((name) => name !== 'viewer'));
            await as(owner ?? null, 'PUT', `collaboration/${second}`, { state: 'ended' });
            expect(await finders()).toEqual(['owner', 'member', 'moderator']);
            await as(owner ?? null, 'PUT', `encounter/${id}`, { organizations: [] });
            expect(await finders()).toEqual(['owner', 'moderator']);
            await as(owner ?? null, 'PUT', `encounter/${id}`, { organizations: [org] });
            expect(await finders()).toEqual(['owner', 'member', 'moderator']);
            await as(member ?? null, 'POST', `org/${org}/leave`, {});
            expect(await finders()).toEqual(['owner', 'moderator']);
            await as(member ?? null, 'POST', `org/${org}/join`, {});
            await as(owner ?? null, 'POST', `org/${org}/member`, {
              user: member?.id,
              role: 'member',
            });
            collaborations = [await agree(viewer as Member, owner as Member, 'view')];
            expect(await finders()).toEqual(['owner', 'viewer', 'member', 'moderator']);
          },
        ],
        [
          'are those of its individual after a merge, and after its end',
          async () => {
            const into = await create(owner ?? null, 'individual', {
              names: [{ context: 'nickname', value: 'Jabali' }],
            });
            await as('moderator', 'POST', `individual/${into}/merge`, { from: [individual] });
            const others = ['quillback', 'jabali', 'jab'];
            expect(await finders(others)).toEqual(['owner', 'viewer', 'member', 'moderator']);
            await as('moderator', 'DELETE', `individual/${into}`);
            expect(await finders(['jabali'])).toEqual([]);
            expect(await finders(['quillback ridge'])).toEqual([
              'owner',
              'viewer',
              'member',
              'moderator',
            ]);
            const another = await create(owner ?? null, 'individual', {
              ...{ names: [{ context: 'nickname', value: 'Nyota' }], encounters: [id] },
            });
            expect(await finders()).toEqual(['owner', 'viewer', 'member', 'moderator']);
            expect(another).not.toBe('');
          },
        ],
        [
          'find it for everybody as long as it is open',
          async () => {
            const words = ['quillback', '斑马湖'];
            await as(owner ?? null, 'PUT', `encounter/${id}`, { location_privacy: 'open' });
            expect(await finders(words)).toHaveLength(7);
            await as(owner ?? null, 'PUT', `encounter/${id}`, { location_privacy: 'obscured' });
            expect(await finders(words)).toEqual(['owner', 'viewer', 'member', 'moderator']);
            await as(owner ?? null, 'PUT', `encounter/${id}`, { remarks: 'no words of before' });
            expect(await finders(words)).toEqual([]);
            await as(owner ?? null, 'PUT', `encounter/${id}`, {
              remarks: 'Quillback ridge 斑马湖',
            });
            expect(await finders()).toEqual(['owner', 'viewer', 'member', 'moderator']);
          },
        ],
        [
          'find it when all is made anew, and before that in rows of an earlier release',
          async () => {
            await asOfBefore();
            const known = ['owner', 'viewer', 'member', 'moderator'];
            expect(await finders()).toEqual(known);
            await knex()('oms_search_jobs').insert({ type: 'encounter', position: 0 });
            await backgroundOf(world().service.strapi).workOff();
            expect(await knex()(TABLE).where({ audience: 2, marks: null })).toEqual([]);
            expect(await finders()).toEqual(known);
            await objectsOf(world().service.strapi).rebuild();
            expect(await finders()).toEqual(known);
          },
        ],
        [
          'are not read from the index for anybody else',
          async () => {
            const own = await create(
              stranger ?? null,
              'encounter',
              hidden({ remarks: 'quillback too' }),
            );
            expect(await readFor(null, ASKED)).toEqual([]);
            expect(await readFor(viewer ?? null, ASKED)).toEqual([id]);
            expect(await readFor(stranger ?? null, ASKED)).toEqual([own]);
            expect(new Set(await readFor('moderator', ASKED))).toEqual(new Set([id, own]));
            if (testDatabase === 'postgres') return;
            const tokens = await knex()(`${TABLE}_terms`).where('term', 'like', 'quill%');
            expect(tokens).toEqual([]);
          },
        ],
        [
          'are the same after the owner is gone, but for those who knew it',
          async () => {
            const other = await newPerson();
            await as('moderator', 'PUT', `encounter/${id}`, { organizations: [], owner: other.id });
            expect(await finders()).toEqual(['moderator']);
            expect(await found(other, id ?? '')).toEqual(ASKED);
            await as('moderator', 'PUT', `encounter/${id}`, {
              owner: owner?.id,
              organizations: [org],
            });
            expect(await finders()).toEqual(['owner', 'viewer', 'member', 'moderator']);
            await world().send({
              method: 'DELETE',
              url: `/api/v0/user/${owner?.id}`,
              headers: authorizationOf('administrator'),
            });
            owner = undefined;
            const left = Object.entries(people()).filter(([name]) => name !== 'owner');
            const asked = async () => {
              const by: string[] = [];
              for (const [name, who] of left)
                if ((await found(who, id ?? '', ['quillback', '斑马湖'])).length > 0) by.push(name);
              return by;
            };
            expect(await asked()).toEqual(['member']);
            await as('moderator', 'DELETE', `org/${org}`);
            expect(await asked()).toEqual([]);
            expect(await found('moderator', id ?? '', ['quillback', '斑马湖'])).toHaveLength(2);
          },
        ],
      ],
      120_000,
    );
  });

  describe('the words of a report without an account', () => {
    useSettings(world, { anonymous_encounters: true, review_encounters: true });

    test('find it for who carries its claim, until it is decided', async () => {
      const body = hidden({ remarks: 'pangolark by the mill', external_id: null });
      const { id, claim } = responseOf(await as(null, 'POST', 'encounter', body));
      const holder = { 'X-Claim': String(claim) };
      const isFound = async (headers: Readonly<Record<string, string>>) => {
        const by: boolean[] = [];
        for (const words of ['pangolark', 'pango', 'mill+pangolark'])
          by.push((await matches(headers, `q=${words}`)).includes(String(id)));
        return by;
      };
      const [all, none] = [
        [true, true, true],
        [false, false, false],
      ];
      expect(await isFound(holder)).toEqual(all);
      expect(await isFound({})).toEqual(none);
      const person = await newPerson();
      expect(await isFound(headersOf(person))).toEqual(none);
      expect(await isFound({ ...headersOf(person), ...holder })).toEqual(all);
      await as('moderator', 'PUT', `encounter/${String(id)}`, { owner: person.id });
      expect(await isFound(holder)).toEqual(all);
      expect(await isFound(headersOf(person))).toEqual(all);
      await as('moderator', 'POST', `encounter/${String(id)}/review`, { state: 'approved' });
      expect(await isFound(holder)).toEqual(none);
      expect(await isFound(headersOf(person))).toEqual(all);
    });
  });

  /** The rows have the words of all audiences without marks. */
  async function asOfBefore(): Promise<void> {
    if (testDatabase === 'postgres') {
      await knex().raw(`update ${TABLE} set marks = null, words = regexp_replace(
        cast(words as text), '\uE002[^\uE002]*\uE002', '', 'g')::tsvector where audience = 2`);
      return;
    }
    const inside = 'select key from oms_search_encounters where audience = 2';
    const rows = (texts: string) => `t.key, t.words from ${texts} t where t.key in (${inside})`;
    await knex().raw(`insert into ${TABLE}_words (${TABLE}_words, rowid, words)
      select 'delete', ${rows(`${TABLE}_texts`)}`);
    await knex().raw(`insert into ${TABLE}_words (rowid, words) select ${rows(TABLE)}`);
    await knex()(TABLE).where({ audience: 2 }).update({ marks: null });
  }
}
