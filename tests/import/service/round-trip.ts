import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { changeSettings } from '#app/api/site-settings/setup';
import { anonymous, importer, local } from '#app/core/caller';
import { readWanted } from '#app/endpoints/export/export';
import { prepareExport } from '#app/endpoints/export/write';
import type { ImportService } from '#app/plugins/exchange/server';
import { objectsOf, registryOf } from '#app/plugins/objects/server';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { temporary } from '../example';

const TABLES = ['encounters', 'individuals', 'oms_individual_names', 'taxonomies'];
const TYPES = ['encounter', 'individual', 'taxonomy'] as const;
type Type = (typeof TYPES)[number];
type All = Readonly<Record<Type, readonly Json[]>>;

/** The section of the page. */
const PAGE =
  readFileSync(join(__dirname, '../../../docs/import.md'), 'utf8').split('### What an export')[1] ??
  '';

/** What breaks tables and documents. */
const NASTY = 'tab\there, "quotes" & <tags>\nsecond line 🦓 | end';

/** An archive that is exported, and imported where nothing is, on a shared service. */
export function testRoundTrip(started: () => TestService): void {
  const writer = importer('tests');
  const moderator = local(anonymous('moderator'));

  let service: TestService;
  beforeAll(async () => {
    service = started();
    await changeSettings(service.strapi, {
      regions: [{ id: 'serengeti', name: { en: 'Serengeti' }, bbox: [34, -3, 36, -1] }],
      custom_fields: {
        encounter: [
          { key: 'water_temp', type: 'number', label: { en: 'Water' } },
          { key: 'herd', type: 'string', label: { en: 'Herd' } },
          {
            key: 'signs',
            type: 'multiselect',
            label: { en: 'Signs' },
            options: [{ value: 'dung' }],
          },
        ],
      },
    });
  });
  afterEach(empty);
  afterAll(() => changeSettings(service.strapi, { regions: [], custom_fields: { encounter: [] } }));

  async function empty(): Promise<void> {
    for (const table of TABLES) await service.strapi.db.connection(table).delete();
  }

  const make = async (type: Type, body: Json): Promise<string> =>
    (await objectsOf(service.strapi).write({ op: 'create', type, body }, writer)).id;

  async function makeAll(): Promise<void> {
    const taxon = (scientific_name: string, rank: string, more: Json = {}): Promise<string> =>
      make('taxonomy', { scientific_name, rank, ...more });
    const family = await taxon('Equidae', 'family');
    const genus = await taxon('Equus', 'genus', { parent: family });
    const zebra = await taxon('Equus quagga', 'species', {
      ...{ parent: genus, authorship: 'Boddaert, 1785' },
      ...{ vernacular_names: { en: 'plains zebra', nl: 'steppezebra' } },
    });
    const animal = await make('individual', {
      ...{ names: [{ context: 'nickname', value: 'Zoë' }], taxonomy: zebra, sex: 'female' },
      ...{ remarks: NASTY, tags: ['a'], time_of_birth: '2015-04' },
    });
    const whole: Json = {
      ...{ taxonomy: zebra, individual: animal, time: '2021-06-03T14:05+02:00', sex: 'female' },
      ...{ verbatim_time: 'the third of June', latitude: -2.333, longitude: 34.8333 },
      ...{ coordinate_uncertainty: 30, location_id: 'serengeti', locality: 'At the river' },
      ...{ country_code: 'TZ', elevation: 1500.5, depth: 2, life_stage: 'adult' },
      ...{ living_status: 'alive', group_size: 3, behavior: 'grazing', remarks: NASTY },
      ...{ basis_of_record: 'machine_observation', observers: ['Ann', 'Bo'], tags: ['x', 'y'] },
      ...{ sampling_protocol: 'camera trap', license: 'CC-BY-4.0' },
      ...{ event_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2' },
      ...{ measurements: [{ type: 'shoulder height', value: 1.25, unit: 'm' }] },
      ...{ custom_fields: { water_temp: 19.5, herd: 'north, 2', signs: ['dung'] } },
      external_id: 'E-1',
    };
    await make('encounter', whole);
    await make('encounter', { time: '1998', taxonomy: zebra, sex: 'unknown' });
    await make('encounter', {
      time: '2021-06-03/2021-06-05',
      location_privacy: 'obscured',
      ...PLACE,
    });
    await make('encounter', {
      time: '2021-06',
      remarks: 'only this',
      latitude: 0,
      longitude: -0.5,
    });
  }

  async function readAll(): Promise<All> {
    const read = async (type: Type): Promise<readonly Json[]> => {
      const { table } = registryOf(service.strapi).model().type(type).resource;
      const ids = await service.strapi.db
        .connection(table)
        .orderBy('id')
        .pluck<string[]>('document_id');
      const found: Json[] = [];
      for (const id of ids) {
        const { text } = await objectsOf(service.strapi).read(type, id, moderator);
        found.push(JSON.parse(text) as Json);
      }
      return found;
    };
    return {
      encounter: await read('encounter'),
      individual: await read('individual'),
      taxonomy: await read('taxonomy'),
    };
  }

  async function exportAll(): Promise<string> {
    const { resource } = registryOf(service.strapi).model().type('encounter');
    const wanted = readWanted(resource, { query: new Map([['format', 'dwca']]) });
    const file = join(mkdtempSync(join(temporary, 'round-')), 'archive.zip');
    const write = await prepareExport(service.strapi, moderator, wanted);
    await pipeline(await write(), createWriteStream(file));
    return file;
  }

  const importAll = (file: string) =>
    service.strapi
      .plugin('exchange')
      .service<ImportService>('import')
      .run(file, { report: join(temporary, 'round-report.csv') });

  test('gives the same encounters, individuals and taxa, but for what the page says', async () => {
    await makeAll();
    const before = await readAll();
    const file = await exportAll();
    await empty();
    await importAll(file);
    const after = await readAll();
    for (const type of TYPES) expect(after[type]).toHaveLength(before[type].length);
    const names =
      (all: All) =>
      (id: unknown): unknown =>
        all.taxonomy.find((taxon) => taxon['id'] === id)?.['scientific_name'] ??
        nameOf(all.individual.find((animal) => animal['id'] === id));
    const named = (all: All, object: Json): Json =>
      Object.fromEntries(
        Object.entries(object).map(([field, value]) => [
          field,
          ['taxonomy', 'individual', 'parent', 'protected_as'].includes(field)
            ? names(all)(value)
            : value,
        ]),
      );
    const different = (type: Type): string[] => {
      const fields = before[type].flatMap((object) => {
        const other = after[type].find((one) => isSame[type](object, one));
        expect(other).toBeDefined();
        const [was, is] = [named(before, object), named(after, other ?? {})];
        return Object.keys(was).filter(
          (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
        );
      });
      return [...new Set(fields)].sort();
    };
    for (const type of TYPES) expect([type, different(type)]).toEqual([type, lostOf(type)]);
    const { faults, encounters, individuals, taxa } = await importAll(file);
    expect(faults).toBe(0);
    for (const { created, refused } of [encounters, individuals, taxa])
      expect([created, refused]).toEqual([0, 0]);
  });
}

/** The fields of a type that the page lists. */
const lostOf = (type: Type): string[] =>
  [...PAGE.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)]
    .flatMap(([, of, field = '']) => (of === type ? [field] : []))
    .sort();

/** The name of an individual that people have given it. */
const nameOf = (animal: Json | undefined): unknown =>
  (animal?.['names'] as Json[] | undefined)?.at(-1)?.['value'] ?? null;

/** Whether an imported object is that which was exported. */
const isSame: Readonly<Record<Type, (exported: Json, imported: Json) => boolean>> = {
  encounter: ({ id }, { external_id: key }) => id === key,
  individual: (one, other) => nameOf(one) === nameOf(other),
  taxonomy: ({ scientific_name: name }, { scientific_name: other }) => name === other,
};

const PLACE = { latitude: -17.5, longitude: 179.9 };
