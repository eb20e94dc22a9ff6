import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportService } from '#app/plugins/exchange/server';
import { changeSettings } from '#app/api/site-settings/setup';
import { cellsOf, parseXml, rowsOf, unzipped, within } from '../../helpers/archive';
import { uuid } from '../../helpers/ids';
import type { Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import { responseOf } from '../../helpers/people';
import { photograph as photographOf, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';
import type { Exports } from './exports';

const DWC = 'http://rs.tdwg.org/dwc/terms/';

/** What strangers are not told of an encounter that is not open. */
const WITHHELD = [
  ...['occurrenceRemarks', 'recordedBy', 'verbatimLocality', 'countryCode', 'behavior'],
  ...['catalogNumber', 'eventID', 'minimumDepthInMeters', 'modified'],
];

/** A text that would break a table, a document or a spreadsheet. */
const NASTY = 'tab\there, "quotes" & <tags>\nsecond line 🦓\n=1+2 | end';

/** Darwin Core archives of what a search finds, on a shared service. */
export function testArchives(world: () => World, { callers, readableBy, find }: Exports): void {
  const exported = async (who: string, path: string): Promise<Answer> =>
    world().send({ method: 'GET', url: `/api/v0/export/${path}`, headers: callers[who] ?? {} });
  const archive = async (who: string, query = ''): Promise<ReadonlyMap<string, string>> => {
    const { status, headers, bytes } = await exported(who, `encounter?format=dwca${query}`);
    expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
    return unzipped(bytes);
  };
  const change = async (method: string, path: string, body?: Json): Promise<Json> => {
    const headers = callers['owner'] ?? {};
    return responseOf(await world().send({ method, url: `/api/v0/${path}`, body, headers }));
  };

  test('an archive has the files that its descriptor names, each row as wide as it says', async () => {
    const files = await archive('moderator');
    const meta = parseXml(files.get('meta.xml') ?? '');
    expect([meta.name, meta.attributes['metadata']]).toEqual(['archive', 'eml.xml']);
    const tables = meta.children;
    expect(tables.map(({ name }) => name)).toEqual(['core', 'extension', 'extension']);
    expect(tables.map(({ attributes }) => attributes['rowType'])).toEqual([
      `${DWC}Occurrence`,
      `${DWC}MeasurementOrFact`,
      'http://rs.gbif.org/terms/1.0/Multimedia',
    ]);
    const named = tables.map((table) => within(table, 'location')[0]?.text ?? '');
    expect([...files.keys()].sort()).toEqual([...named, 'eml.xml', 'meta.xml'].sort());
    for (const [n, table] of tables.entries()) {
      const indexes = within(table, 'field').flatMap(({ attributes: { index } }) => index ?? []);
      const first = table.name === 'core' ? 0 : 1;
      const [head = [], ...rows] = cellsOf(files.get(named[n] ?? '') ?? '');
      expect(indexes.map(Number)).toEqual(head.slice(first).map((_, index) => index + first));
      const terms = within(table, 'field').map(({ attributes: { term } }) => term ?? '');
      expect(new Set(terms).size).toBe(terms.length);
      expect(terms.slice(0, head.length - first).map((term) => term.split('/').at(-1))).toEqual(
        head.slice(first),
      );
      expect(rows.every((row) => row.length === head.length)).toBe(true);
      if (n === 0) expect(rows.length).toBeGreaterThan(50);
    }
  });

  test('the core has every encounter that a search finds, with what a read gives this caller', async () => {
    for (const who of Object.keys(callers)) {
      const files = await archive(who, '&sort=-time');
      const rows = rowsOf(files.get('occurrence.csv') ?? '');
      expect(rows.map((row) => row['occurrenceID'])).toEqual(await find(who));
      const [taxa, animals] = ['taxonomy', 'individual'].map((type) => readableBy(who, type));
      for (const row of rows) {
        const object = readableBy(who, 'encounter').get(row['occurrenceID'] ?? '') ?? {};
        const taxon = taxa?.get(String(object['taxonomy'])) ?? {};
        const names = (animals?.get(String(object['individual']))?.['names'] ?? []) as Json[];
        const isPlaced = typeof object['latitude'] === 'number';
        const custom = object['custom_fields'] as Json | undefined;
        const tags = (object['tags'] ?? []) as string[];
        const called = Object.entries((taxon['vernacular_names'] ?? {}) as Json).filter(
          ([language]) => language !== 'en',
        );
        const properties = {
          ...(tags.length > 0 ? { tags } : {}),
          ...(called.length > 0 ? { vernacularNames: Object.fromEntries(called) } : {}),
          ...custom,
        };
        const told: Json = {
          eventDate: object['time'],
          decimalLatitude: object['latitude'],
          decimalLongitude: object['longitude'],
          geodeticDatum: isPlaced ? 'EPSG:4326' : '',
          coordinateUncertaintyInMeters: object['coordinate_uncertainty'],
          minimumDepthInMeters: object['depth'],
          maximumDepthInMeters: object['depth'],
          occurrenceRemarks: object['remarks'],
          recordedBy: (object['observers'] as string[] | undefined)?.join(' | '),
          sex: object['sex'],
          basisOfRecord: 'HumanObservation',
          scientificName: taxon['scientific_name'],
          taxonRank: taxon['rank'],
          organismID: object['individual'],
          organismName: names[0]?.['value'],
          modified: object['updated_at'],
          dynamicProperties: Object.keys(properties).length > 0 ? JSON.stringify(properties) : '',
        };
        const expected = Object.entries(told).map(([term, value]) => [
          term,
          String((value ?? '') as string | number),
        ]);
        expect(Object.keys(told).map((term) => [term, row[term]])).toEqual(expected);
        expect(row['dataGeneralizations'] === '').toBe(object['generalized'] === null);
      }
    }
  });

  test('an obscured encounter says so to strangers, and tells them nothing more', async () => {
    const inExact = rowsOf((await archive('moderator')).get('occurrence.csv') ?? '');
    const files = await archive('nobody');
    const rows = rowsOf(files.get('occurrence.csv') ?? '');
    const withheld = rows.filter((row) => row['dataGeneralizations'] !== '');
    expect(withheld.length).toBeGreaterThan(3);
    for (const row of withheld) expect(WITHHELD.map((term) => row[term] ?? '').join('')).toBe('');
    const ids = new Set(withheld.map((row) => row['occurrenceID']));
    const secrets = inExact
      .filter((row) => ids.has(row['occurrenceID']))
      .flatMap((row) => [row['catalogNumber'] ?? ''])
      .filter((text) => text !== '');
    expect(secrets.length).toBeGreaterThan(0);
    const all = [...files.values()].join('');
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    const measured = rowsOf(files.get('measurementorfact.csv') ?? '');
    expect(measured.filter((row) => ids.has(row['occurrenceID']))).toEqual([]);
    expect(inExact.every((row) => row['dataGeneralizations'] === '')).toBe(true);
  });

  test('texts, measurements and photographs arrive as they are', async () => {
    const sent = await world().send(
      uploadRequest({ bytes: await photographOf() }, callers['owner'] ?? {}),
    );
    const path = `asset/${String(responseOf(sent)['id'])}`;
    const photograph = await change('GET', path);
    // Of a taxon that is open: strangers are told the photographs of no other encounter.
    const asModerator = { url: '/api/v0/taxonomy', headers: callers['moderator'] ?? {} };
    const body = { scientific_name: 'Aperta aperta' };
    const made = await world().send({ ...asModerator, method: 'POST', body });
    const taxonomy = String(responseOf(made)['id']);
    const measurements = [
      { type: 'shoulder height', value: 1.5, unit: 'm' },
      { type: 'body "condition"', value: '007\nlean', unit: null },
    ];
    const { id } = await change('POST', 'encounter', {
      time: '2020-05-04T03:02Z/2020-05-04T04:00Z',
      location_privacy: 'open',
      taxonomy,
      license: 'CC-BY-4.0',
      remarks: NASTY,
      measurements,
      assets: [photograph['id']],
    });
    try {
      const files = await archive('owner', `&id=${String(id)}`);
      const [row = {}, ...others] = rowsOf(files.get('occurrence.csv') ?? '');
      expect([others, row['occurrenceRemarks'], row['eventDate']]).toEqual([
        [],
        NASTY,
        '2020-05-04T03:02Z/2020-05-04T04:00Z',
      ]);
      const facts = rowsOf(files.get('measurementorfact.csv') ?? '');
      expect(facts).toEqual(
        measurements.map(({ type, value, unit }, n) => ({
          occurrenceID: id,
          measurementID: `${String(id)}:${n + 1}`,
          measurementType: type,
          measurementValue: String(value),
          measurementUnit: unit ?? '',
        })),
      );
      const [medium = {}] = rowsOf(files.get('multimedia.csv') ?? '');
      const address = new URL(medium['identifier'] ?? '');
      expect([medium['occurrenceID'], address.pathname]).toEqual([id, photograph['path']]);
      expect(row['associatedMedia']).toBe(address.href);
      expect(medium['title']).toBe(photograph['filename']);
      const eml = parseXml(files.get('eml.xml') ?? '');
      expect(within(eml, 'ulink').map(({ attributes }) => attributes['url'])).toEqual([
        'http://creativecommons.org/licenses/by/4.0/legalcode',
      ]);
      const seen = rowsOf(
        (await archive('nobody', `&id=${String(id)}`)).get('multimedia.csv') ?? '',
      );
      // Its name is not theirs to see, so that there is no column of it.
      expect(seen).toMatchObject([{ occurrenceID: id, identifier: address.href }]);
      expect(seen[0]).not.toHaveProperty('title');
    } finally {
      await world().send({
        method: 'DELETE',
        url: `/api/v0/encounter/${String(id)}`,
        headers: callers['owner'] ?? {},
      });
      await world().send({
        method: 'DELETE',
        url: `/api/v0/${path}`,
        headers: callers['owner'] ?? {},
      });
      const url = `/api/v0/taxonomy/${taxonomy}`;
      await world().send({ ...asModerator, method: 'DELETE', url });
    }
  });

  test('the metadata is a dataset by the site settings', async () => {
    const settings = {
      site_name: { en: 'Zebras & <friends>' },
      description: { en: 'First "paragraph".\nSecond 🦓.' },
      contact_email: 'zebras@example.org',
    };
    const url = '/api/v0/site_settings';
    const before = responseOf(await world().send({ method: 'GET', url }));
    const { strapi } = world().service;
    await changeSettings(strapi, settings);
    try {
      const eml = parseXml((await archive('nobody')).get('eml.xml') ?? '');
      const [dataset] = eml.children;
      expect(dataset?.children.map(({ name }) => name)).toEqual([
        ...['title', 'creator', 'metadataProvider', 'pubDate', 'language', 'abstract'],
        ...['intellectualRights', 'contact'],
      ]);
      const texts = (name: string): string[] => within(eml, name).map(({ text }) => text);
      expect(texts('title')).toEqual(['Encounters of Zebras & <friends>']);
      expect(texts('para').slice(0, 2)).toEqual(['First "paragraph".', 'Second 🦓.']);
      expect(new Set(texts('electronicMailAddress'))).toEqual(new Set(['zebras@example.org']));
    } finally {
      const names = Object.keys(settings);
      await changeSettings(strapi, Object.fromEntries(names.map((name) => [name, before[name]])));
    }
  });

  test('an archive without a match has headers alone, and only encounters have one', async () => {
    const files = await archive('nobody', `&id=${uuid(0xdead)}`);
    const tables = [...files].filter(([name]) => name.endsWith('.csv'));
    expect(tables.map(([, text]) => cellsOf(text).length)).toEqual([1, 1, 1]);
    parseXml(files.get('eml.xml') ?? '');
    const faultsOf = async (path: string): Promise<unknown> => {
      const { status, text } = await exported('nobody', path);
      const faults = at(parsed(text), 'response', 'invalid') as Json[];
      return [status, faults.map((fault) => [fault['path'], fault['args']])];
    };
    const formats = (...allowed: string[]) => [400, [['format', { allowed }]]];
    expect(await faultsOf('individual?format=dwca')).toEqual(formats('csv'));
    expect(await faultsOf('encounter?format=xlsx')).toEqual(
      formats('csv', 'geojson', 'dwca', 'camtrap_dp'),
    );
  });

  test('what a camera has recorded is a Camtrap DP, which an import reads', async () => {
    const [taxon = {}] = [...readableBy('owner', 'taxonomy').values()].filter(
      ({ location_privacy: privacy, rank }) => privacy === null && rank === 'species',
    );
    const [animal] = [...readableBy('owner', 'individual').values()].filter(
      (one) => one['taxonomy'] === taxon['id'],
    );
    const camera = {
      ...{ basis_of_record: 'machine_observation', sampling_protocol: 'Camera trap' },
      location_privacy: 'open',
      ...{ latitude: -2.25, longitude: 34.75, coordinate_uncertainty: 12.5, locality: 'Camp, "A"' },
      ...{ taxonomy: taxon['id'], individual: animal?.['id'] ?? null, external_id: 'secret' },
    };
    const sightings: Json[] = [
      {
        time: '2020-05-04T03:02Z/2020-05-04T03:04:05.5Z',
        ...{ sex: 'female', life_stage: 'adult', group_size: 3, tags: ['calf', 'night'] },
        ...{ remarks: NASTY, behavior: 'grazing', event_id: uuid(0xabc) },
        measurements: [{ type: 'speed', value: 1.25, unit: 'm/s' }],
      },
      { time: '2020-06-01T00:00:00+02:00', sex: 'unknown', life_stage: 'newborn' },
      // None of these: the day alone, no offset, no camera, the tag of an animal, no place.
      { time: '2020-05-04' },
      { time: '2020-05-04T03:02' },
      { time: '2020-05-04T03:02Z', basis_of_record: 'human_observation' },
      { time: '2020-05-04T03:02Z', sampling_protocol: 'gps' },
      { time: '2020-05-04T03:02Z', latitude: null, longitude: null },
    ];
    const ids: string[] = [];
    try {
      for (const [n, sighting] of sightings.entries()) {
        const body = { ...camera, ...sighting, external_id: `camera ${n}` };
        ids.push(String((await change('POST', 'encounter', body))['id']));
      }
      const query = `encounter?format=camtrap_dp&id=${ids.join()}`;
      const { status, headers, bytes } = await exported('owner', query);
      expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
      const path = join(world().service.dataDir, 'camtrap.zip');
      await writeFile(path, bytes);
      const dataset = await unzipped(bytes);
      const [place = {}, ...others] = rowsOf(dataset.get('deployments.csv') ?? '');
      expect(others).toEqual([]);
      expect(place).toMatchObject({
        ...{ locationName: 'Camp, "A"', latitude: '-2.25', coordinateUncertainty: '13' },
        ...{ deploymentStart: '2020-05-04T03:02:00Z', deploymentEnd: '2020-06-01T00:00:00+02:00' },
      });
      expect(JSON.parse(dataset.get('datapackage.json') ?? '{}')).toMatchObject({
        description: expect.stringContaining('5 further encounters') as unknown,
      });
      const empty = await exported(
        'owner',
        `encounter?format=camtrap_dp&id=${ids.slice(2).join()}`,
      );
      expect([empty.status, at(parsed(empty.text), 'message')]).toEqual([
        400,
        { key: 'API_RESPONSE_EXPORT_EMPTY', args: { left_out: 5 } },
      ]);
      const observed = rowsOf(dataset.get('observations.csv') ?? '');
      expect(observed.map(({ observationID }) => observationID).sort()).toEqual(
        ids.slice(0, 2).sort(),
      );
      expect(observed.find(({ observationID }) => observationID === ids[0])).toMatchObject({
        ...{ eventStart: '2020-05-04T03:02:00Z', eventEnd: '2020-05-04T03:04:05Z', count: '3' },
        ...{ sex: 'female', lifeStage: 'adult', individualSpeed: '1.25' },
        ...{ observationTags: 'calf|night', observationComments: NASTY, eventID: uuid(0xabc) },
        scientificName: taxon['scientific_name'] ?? '',
      });
      const imports = world().service.strapi.plugin('exchange').service<ImportService>('import');
      const summary = await imports.run(path, {
        ...{ strict: true, dryRun: true, alwaysReport: false, owner: null },
        report: join(world().service.dataDir, 'camtrap.csv'),
        signal: new AbortController().signal,
      });
      expect(summary).toMatchObject({ faults: 0, encounters: { created: 2, refused: 0 } });
    } finally {
      for (const id of ids)
        await world().send({
          method: 'DELETE',
          url: `/api/v0/encounter/${id}`,
          headers: callers['owner'] ?? {},
        });
    }
  });

  test('the headers of an archive are answered alone', async () => {
    const url = '/api/v0/export/encounter?format=dwca';
    const { status, headers, bytes } = await world().send({ method: 'HEAD', url });
    expect([status, headers['content-type'], bytes.length]).toEqual([200, 'application/zip', 0]);
  });
}
