import { databaseOf, registryOf } from '#app/plugins/objects/server';
import type { Field, Resource } from '#app/plugins/objects/server/declare/completed';
import { emptyOf } from '#app/plugins/objects/server/kinds';
import { filePath } from '#app/plugins/objects/server/kinds/path';
import { renditionPaths } from '#app/plugins/objects/server/kinds/renditions';
import { isShown } from '#app/plugins/objects/server/read/reader';
import { documentsOf } from '../../helpers/documents';
import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { searchable } from '#app/plugins/objects/server/search/language/filters';
import { MAX_RECENT_PLANS } from '#app/plugins/objects/server/database/postgres-prepared';
import { raw, reading, sql, statementOf, type Sql } from '#app/plugins/objects/server/database/sql';
import { WORD_INDEX } from '#app/plugins/objects/server/database/word-index';
import { Pool } from 'undici';
import { testDatabase } from '../../helpers/database';
import { responseOf } from '../../helpers/people';
import { type World } from '../../helpers/world';
import { settle } from '../../helpers/settle';

/** The reader gives what Strapi's own service reads, and both its ways agree. */
export function testReader(world: () => World): void {
  const [ZEBRA, FAMILY] = [uuid(1), uuid(2)];

  /** A value for every kind of field, and objects of which nothing is known. */
  const OBJECTS: readonly [string, Json][] = [
    ['taxonomy', { id: FAMILY, scientific_name: 'Equidae' }],
    [
      'taxonomy',
      {
        id: ZEBRA,
        scientific_name: 'Equus quagga',
        rank: 'species',
        authorship: 'Boddaert, 1785',
        vernacular_names: { en: 'plains zebra', fr: 'zèbre des plaines' },
        parent: FAMILY,
        status: 'synonym',
        accepted: FAMILY,
        // Not those that the tests of fields take.
        itis_tsn: 2147483646,
        gbif_key: 7_654_321,
        location_privacy: 'obscured',
        enabled: false,
      },
    ],
    ['encounter', { id: uuid(3) }],
    ['individual', { id: uuid(9) }],
    ['user', { id: uuid(6), name: 'Nobody in particular', email: 'nobody@example.org' }],
    [
      'user',
      {
        id: uuid(7),
        name: 'Zoë "Z"',
        email: 'Zoe@Example.org',
        username: 'ZOË',
        password: 'correct horse battery',
        affiliation: 'Somewhere',
        website: 'https://example.org',
        role: 'moderator',
        followed_users: [uuid(6)],
        followed_encounters: [uuid(3)],
        followed_individuals: [uuid(9)],
        language: 'pt-BR',
        blocked: true,
      },
    ],
    [
      'org',
      {
        id: uuid(9),
        name: 'Zebra "Watch"',
        description: 'é'.repeat(10_000),
        website: 'https://example.org/zebras',
        email: 'Hello@example.org',
        country_code: 'KE',
        owner: uuid(7),
      },
    ],
    [
      'asset',
      {
        id: uuid(8),
        owner: uuid(7),
        filename: 'a "quoted" é.jpg',
        alt_text: { en: 'a zebra', fr: 'un zèbre' },
        license: 'CC0-1.0',
        rights_holder: 'Somebody',
      },
    ],
    [
      'individual',
      {
        id: uuid(10),
        owner: uuid(7),
        organizations: [uuid(9)],
        names: [
          { context: 'catalog', value: 'Z "1" é', preferred: false },
          { context: 'nickname', value: '\u{1F993}', preferred: true },
        ],
        taxonomy: ZEBRA,
        sex: 'female',
        living_status: 'dead',
        time_of_birth: '2011/2012',
        time_of_death: '2021-06-03T14:05+02:00',
        photo_id: filePath('asset', uuid(8)),
        remarks: 'é'.repeat(10_000),
        tags: ['z', 'a'],
      },
    ],
    [
      'encounter',
      {
        id: uuid(4),
        individual: uuid(10),
        assets: [uuid(8)],
        owner: uuid(7),
        organizations: [uuid(9)],
        submitter_email: 'reporter@example.org',
        event_id: uuid(5),
        taxonomy: ZEBRA,
        time: '2021-06-03T14:05+02:00',
        verbatim_time: '"noon"',
        latitude: -0.1 - 0.2,
        longitude: 179.99999999999997,
        coordinate_uncertainty: 5e-324,
        locality: 'a "quoted" \\ \u2028 \u{1F993}\nplace',
        country_code: 'KE',
        elevation: -10_999.5,
        depth: 1e-7,
        location_privacy: 'private',
        sex: 'unknown',
        life_stage: 'subadult',
        living_status: 'dead',
        group_size: 10_000_000,
        behavior: "it's",
        basis_of_record: 'specimen',
        observers: ['a', 'b, c', '"d"'],
        sampling_protocol: '%_',
        measurements: [
          { type: 'mass', value: 0.1 + 0.2, unit: 'kg' },
          { type: 'coat', value: 'striped', unit: null },
        ],
        tags: ['z', 'a', '\u{1F993}'],
        remarks: 'é'.repeat(10_000),
        license: 'CC-BY-NC-4.0',
        source: 's',
        external_id: 'x',
        verbatim: { habitat: '"reeds" \\', é: 'a \u2028 b' },
      },
    ],
  ];

  /** Each of them other than it is at first. */
  const SETTINGS: Json = {
    site_name: { en: 'Otters', 'pt-BR': 'Lontras' },
    tagline: {},
    description: { fr: 'é'.repeat(10_000) },
    languages: ['pt-BR', 'en'],
    default_language: 'pt-BR',
    terms_url: 'https://example.org/terms',
    privacy_url: 'https://example.org/privacy',
    contact_email: 'Contact@example.org',
    announcement: { en: 'a "quoted" \\ \u2028 \u{1F993}\nline' },
    regions: [{ id: 'b', name: {}, parent: null, bbox: [179.99999999999997, -0.1, -179, 0.2] }],
    behaviors: ['z', 'a'],
    custom_fields: { encounter: [], individual: [] },
    frontend: { b: 1, a: [null, { '': '' }] },
    registration_open: false,
    require_verified_email: true,
    anonymous_encounters: true,
    review_encounters: true,
    readers: 'users',
    default_location_privacy: 'private',
    protect_unidentified: false,
    tell_hidden: 'monthly',
    hidden_tells: 'both',
    show_owner_when_hidden: true,
    review_notes: [{ title: { en: 'Place' }, text: { en: 'Where?', 'pt-BR': 'Onde?' } }],
    max_upload_bytes: 65_536,
    allowed_origins: ['https://map.example.org'],
    mail_from: 'from@example.org',
    frontend_url: 'https://example.org/app',
  };

  beforeAll(async () => {
    for (const [type, body] of OBJECTS) await world().create(type, body);
    await world().update('encounter', uuid(3), { tags: ['later'] });
    await world().update('user', uuid(7), {
      photo_id: filePath('asset', uuid(8)),
      followed_orgs: [uuid(9)],
    });
    await world().update('org', uuid(9), { logo_id: filePath('asset', uuid(8)) });
  });

  /** A stored value as the wire has it. */
  function wireValue(field: Field, stored: unknown): unknown {
    if (stored === null || stored === undefined) return emptyOf(field);
    if (field.kind === 'path')
      return filePath('asset', (stored as { documentId: string }).documentId);
    if (field.kind === 'reference') return (stored as { documentId: string }).documentId;
    if (field.link) return (stored as { documentId: string }[]).map(({ documentId }) => documentId);
    if (field.kind === 'instant') return new Date(stored as string).toISOString();
    return stored;
  }

  /**
   * What is made of the row: of its ID, and of its privacy. An encounter without a taxon is obscured while one is protected;
   * the photograph is at a private one.
   */
  function computed(type: string, { name }: Field, id: string, { locationPrivacy }: Json): unknown {
    const made: Readonly<Record<string, unknown>> = {
      path: filePath('asset', id),
      renditions: renditionPaths(filePath('asset', id)),
      level: type === 'asset' ? 'private' : (locationPrivacy ?? 'obscured'),
      withheld: 'encounter',
    };
    return made[name];
  }

  /** The object as Strapi's own service reads it. */
  async function documentOf({ uid, type, fields }: Resource, id: string): Promise<Json> {
    const document = await documentsOf(world().service, uid).findOne({
      documentId: id,
      populate: '*',
    });
    if (!document) throw new Error(`no document ${id}`);
    const entries: [string, unknown][] = [];
    for (const field of fields.values()) {
      if (!isShown(field)) continue;
      const stored = field.attribute === null ? null : document[field.attribute];
      const value = field.inverse ? await referringTo(field.inverse, id) : wireValue(field, stored);
      const told = field.listed ? listed(type, field.name, id) : value;
      entries.push([field.name, field.computed ? computed(type, field, id, document) : told]);
    }
    return Object.fromEntries(entries);
  }

  /** What tables of our own tell: one user has an org. */
  function listed(type: string, name: string, id: string): string[] {
    if (type === 'org') return name === 'join_requests' ? [] : [uuid(7)];
    if (type === 'asset') return [uuid(4)];
    return name === 'organizations' && id === uuid(7) ? [uuid(9)] : [];
  }

  /** The IDs of the objects that refer to one, as Strapi's own service finds them. */
  async function referringTo(
    { type, field }: NonNullable<Field['inverse']>,
    id: string,
  ): Promise<string[]> {
    const found = await documentsOf(world().service, `api::${type}.${type}`).findMany({
      filters: { [field]: { documentId: id } },
    });
    return found.map(({ documentId }) => documentId);
  }

  /** The actions that an administrator may run on the objects, besides updates and deletions. */
  const ACTIONS: Readonly<Record<string, readonly string[]>> = {
    org: ['join', 'member'],
    encounter: ['review'],
    individual: ['merge'],
  };

  describe('the reader gives what the document service of Strapi gives', () => {
    test.each(OBJECTS.map(([type, body]) => [type, String(body['id'])] as const))(
      'of the %s %s',
      async (type, id) => {
        const { resource } = registryOf(world().service.strapi).model().type(type);
        const { permissions, ...read } = await world().read(type, id);
        expect(permissions).toEqual(['update', 'delete', ...(ACTIONS[type] ?? [])]);
        expect(read).toEqual(await documentOf(resource, id));
      },
    );

    test('of the site settings', async () => {
      const url = '/api/v0/site_settings';
      const before = responseOf(await world().send({ method: 'GET', url }));
      const change = async (body: Json): Promise<void> => {
        const { status, text } = await world().send({ method: 'PUT', url, body });
        expect([status, text]).toEqual([200, text]);
      };
      await change(SETTINGS);
      const { resource } = registryOf(world().service.strapi).model().type('site_settings');
      const { permissions, ...read } = responseOf(await world().send({ method: 'GET', url }));
      expect(permissions).toEqual(['update']);
      expect(read).toEqual(await documentOf(resource, String(read['id'])));
      expect(read).toMatchObject(SETTINGS);
      await change(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, before[name]])));
      await settle(world().service);
    });

    test('of every type that there is', () => {
      const { resources } = registryOf(world().service.strapi).model();
      // A collaboration is between people who are logged in: its own tests have it.
      const types = [...resources.values()].filter(
        ({ single, made }) => single === null && made !== 'call',
      );
      expect(types.map(({ type }) => type).sort()).toEqual(
        [...new Set(OBJECTS.map(([type]) => type))].sort(),
      );
    });

    test('of every attribute that there is, each set in some object', () => {
      for (const resource of registryOf(world().service.strapi).model().resources.values()) {
        const { type, fields, made } = resource;
        if (made === 'call') continue;
        const set = new Set(
          [...OBJECTS, ['site_settings', SETTINGS] as const]
            .filter(([of]) => of === type)
            .flatMap(([, body]) => Object.keys(body)),
        );
        const stored = [...fields.values()].filter(
          (field) =>
            field.attribute !== null && !field.edges && !field.derived && field.name !== 'id',
        );
        // Regions and custom fields need settings of the site; their own tests have them, and the privacy of photographs. A
        // photograph is its owner's.
        const without: Readonly<Record<string, readonly string[]>> = {
          encounter: ['location_id', 'custom_fields'],
          individual: ['custom_fields'],
          user: ['photo_id', 'followed_orgs'],
          org: ['logo_id'],
          asset: ['location_privacy'],
          site_settings: ['logo_id', 'media'],
        };
        expect(stored.map(({ name }) => name).filter((name) => !set.has(name))).toEqual(
          without[type] ?? [],
        );
      }
    });
  });

  describe('the number of prepared statements is independent of the requests', () => {
    /** Those of the names that a number has a bit for. */
    const chosen = (names: readonly string[], bits: number): string[] =>
      names.filter((_, at) => ((bits >> (at % 20)) & 1) === 1);
    const fieldsOf = (type: string): Field[] => [
      ...registryOf(world().service.strapi).model().type(type).resource.fields.values(),
    ];

    /** Reads, searches and changes, no two of which are alike. */
    function requests(): ((n: number) => { method: 'GET' | 'PUT'; path: string; body?: string })[] {
      const shown = fieldsOf('encounter').filter(isShown);
      const names = shown.map(({ name }) => name);
      const references = shown.flatMap(({ name, to }) => (to === null ? [] : [name]));
      const { resource } = registryOf(world().service.strapi).model().type('user');
      const find = searchable(resource).map(({ name }) => name);
      return [
        (n) => ({
          method: 'GET',
          path: `/encounter/${uuid(4)}?fields=${['id', ...chosen(names, n)].join()}`,
        }),
        (n) => ({
          method: 'GET',
          path: `/encounter/${uuid(3)}?include=${['owner', ...chosen(references, n)].join()}`,
        }),
        (n) => ({ method: 'GET', path: `/user/${uuid(6 + (n % 2))}?fields=id&include=encounters` }),
        (n) => ({ method: 'GET', path: `/taxonomy/${uuid(0x100000 + n)}?fields=${names[n % 40]}` }),
        (n) => {
          const filters = chosen(find, n * 7919).map((name) => `&${name}=null`);
          return { method: 'GET', path: `/search/user?limit=${n % 1000}${filters.join('')}` };
        },
        (n) => {
          const body = Object.fromEntries(
            chosen(['locality', 'remarks'], n).map((name) => [name, `${n}`]),
          );
          return { method: 'PUT', path: `/encounter/${uuid(3)}`, body: JSON.stringify(body) };
        },
      ];
    }

    /** Of the service's own count; of PostgreSQL, what its connections have, those under way being all that there are. */
    async function kept(): Promise<number> {
      const database = databaseOf(world().service.strapi);
      if (testDatabase !== 'postgres') return database.preparedStatements;
      const count = sql`select count(*)::text from pg_prepared_statements, pg_sleep(0.05)`;
      const asked = Array.from({ length: 10 }, () => Promise.resolve(database.read(count)));
      const counts = await Promise.all(asked);
      return Math.max(database.preparedStatements, ...counts.map(([row]) => Number(row?.[0])));
    }

    test('after two thousand requests', async () => {
      const pool = new Pool(world().service.url, { connections: 10 });
      const kinds = requests();
      const statuses = new Set<number>();
      const send = async (n: number): Promise<void> => {
        const { path, ...rest } = kinds[n % kinds.length]?.(n) ?? { method: 'GET', path: '' };
        const headers = { 'content-type': 'application/json' };
        const answer = await pool.request({ ...rest, path: `/api/v0${path}`, headers });
        await answer.body.dump();
        statuses.add(answer.statusCode);
      };
      const sendAll = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n += 50)
          await Promise.all(Array.from({ length: 50 }, (_, at) => send(n + at)));
      };
      try {
        await sendAll(0, 200);
        const before = await kept();
        await sendAll(200, 2200);
        expect([...statuses].sort()).toEqual([200, 402]);
        expect(before).toBeLessThan(400);
        // What the service does by itself meanwhile has statements too, a handful.
        expect(await kept()).toBeLessThan(before + 20);
      } finally {
        await pool.close();
      }
    });

    if (testDatabase === 'postgres')
      test('where one that is asked again has taken the place of another, that is prepared anew', async () => {
        const database = databaseOf(world().service.strapi);
        const ask = (n: number): Promise<unknown> =>
          Promise.resolve(
            database.read({ ...statementOf(sql`select ${raw(`${n}`)}`), isAdHoc: true }),
          );
        const all = Array.from({ length: MAX_RECENT_PLANS + 8 }, (_, n) => n);
        const counts: number[] = [];
        // Prepared in the second round; in the third one each has given way to the others, and is prepared anew.
        for (const round of [1, 2, 3])
          for (const n of all) {
            expect([round, await ask(n)]).toEqual([round, [[n]]]);
            const prepared = sql`select cast(count(*) as integer) from pg_prepared_statements
              where name like ${'oms_recent_%'}`;
            counts.push(Number((await database.read(prepared))[0]?.[0]));
          }
        expect(Math.max(...counts)).toBe(MAX_RECENT_PLANS);
      });

    if (testDatabase === 'postgres')
      test('apart from reads they are kept as well, but for what is found by words', async () => {
        const turn = { origin: 'a test', signal: new AbortController().signal };
        const apart = (asked: Sql) =>
          databaseOf(world().service.strapi).readApart(
            { ...statementOf(asked), isAdHoc: true },
            turn,
          );
        const plain = raw(`select 'plain'`);
        const byWords = reading(WORD_INDEX, raw(`select 'by words'`));
        for (let n = 0; n < 3; n += 1)
          expect([await apart(plain), await apart(byWords)]).toEqual([[['plain']], [['by words']]]);
        const kept = raw(
          `select statement from pg_prepared_statements where statement like 'select ''%'''`,
        );
        expect(await apart(kept)).toEqual([[`select 'plain'`]]);
      });
  });
}
