import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventId } from '#app/plugins/exchange/server/package/encounter-body';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import type { Json } from '../../helpers/json';
import { makePerson } from '../../helpers/people';
import type { TestService } from '../../helpers/service';
import {
  ENCOUNTERS,
  EXAMPLE,
  exampleWith,
  LINES,
  rewrite,
  rewriteCell,
  SOURCE,
  TAXA,
  temporary,
} from '../example';
import { useImports, type StoredRow } from './imports';

/** The import of packages, on a shared service. */
export function testImport(started: () => TestService): void {
  const report = join(temporary, 'report.csv');
  const { run, rows } = useImports(started, report);

  /** All that is stored, as it is stored. */
  async function stored(): Promise<{ encounters: StoredRow[]; taxa: StoredRow[] }> {
    return { encounters: await rows('encounters'), taxa: await rows('taxonomies') };
  }

  async function everything(): Promise<{ encounters: StoredRow[]; individuals: StoredRow[] }> {
    return { encounters: await rows('encounters'), individuals: await rows('individuals') };
  }

  test('the example gives its encounters and taxa, with what belongs into their fields', async () => {
    expect(await run(EXAMPLE)).toEqual({
      source: SOURCE,
      taxa: { created: TAXA, existing: 0, refused: 0 },
      individuals: { created: 0, existing: 0, refused: 0 },
      encounters: { created: ENCOUNTERS, existing: 0, refused: 0 },
      leftOut: { human: 33, vehicle: 21, blank: 115, unknown: 13, unclassified: 1 },
      photographs: { created: 0, refused: 0, elsewhere: 423 },
      merged: 337,
      faults: 0,
      ...{ rows: 549, kinds: [], unread: {} },
      verbatim: {
        'deployments.csv': expect.objectContaining({ habitat: 4, setupBy: 3 }) as object,
        'observations.csv': expect.objectContaining({ bboxX: 20 }) as object,
      },
      stopped: false,
      kept: true,
      report: null,
    });
    const { encounters, taxa } = await stored();
    expect([encounters.length, taxa.length]).toEqual([ENCOUNTERS, TAXA]);
    for (const encounter of encounters) {
      expect(encounter).toMatchObject({
        version: 1,
        source: SOURCE,
        basis_of_record: 'machine_observation',
        sampling_protocol: 'camera trap',
        license: 'CC0-1.0',
        location_id: null,
        living_status: null,
      });
    }
    const heron = taxa.find((taxon) => taxon.scientific_name === 'Ardea cinerea');
    expect(heron).toMatchObject({ rank: 'species', version: 1 });
    expect(JSON.stringify(heron?.vernacular_names)).toContain('blauwe reiger');
  });

  test('an encounter has the time, place and event of its observation', async () => {
    await run(EXAMPLE);
    const { encounters } = await stored();
    expect(encounters.find((row) => row.external_id === '705e6036')).toMatchObject({
      time: '2020-05-30T02:57:37Z/2020-05-30T02:57:44Z',
      latitude: 51.496,
      longitude: 4.774,
      coordinate_uncertainty: 187,
      locality: 'B_HS_val 2_processiepark',
      event_id: eventId(SOURCE, '4bb69c45'),
      sex: 'female',
      life_stage: 'adult',
      group_size: 1,
      behavior: 'foraging',
    });
  });

  test('a second time changes nothing', async () => {
    await run(EXAMPLE);
    const before = await stored();
    expect(await run(EXAMPLE)).toMatchObject({
      taxa: { created: 0, existing: TAXA, refused: 0 },
      encounters: { created: 0, existing: ENCOUNTERS, refused: 0 },
      faults: 0,
    });
    expect(await stored()).toEqual(before);
  });

  test('invalid records are reported with file, line, field and reason, and the others are imported', async () => {
    const path = exampleWith(
      { observationID: 'bad-count', count: '0' },
      { observationID: 'bad-place', deploymentID: 'nowhere' },
      { observationID: 'bad-behavior', behavior: 'x'.repeat(300) },
      { observationID: 'bad-time', eventStart: '2999-01-01T00:00:00Z', eventEnd: '' },
      {
        observationID: 'good',
        individualID: 'RD213',
        individualSpeed: '1.75',
        observationTags: 'A | b',
      },
    );
    const summary = await run(path);
    expect(summary).toMatchObject({ faults: 4, kept: true, report });
    expect(summary.encounters).toEqual({ created: ENCOUNTERS + 1, existing: 0, refused: 4 });
    const lines = readFileSync(report, 'utf8').trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',').slice(0, 3).join(','))).toEqual([
      'file,line,field',
      `observations.csv,${LINES + 1},count`,
      `observations.csv,${LINES + 2},deploymentID`,
      `observations.csv,${LINES + 3},behavior`,
      `observations.csv,${LINES + 4},eventStart`,
    ]);
    expect((await stored()).encounters).toHaveLength(ENCOUNTERS + 1);
  });

  test('individuals are known by their IDs in the package, and a second time changes nothing', async () => {
    type Cells = Readonly<Record<string, string>>;
    const deer = { scientificName: 'Cervus elaphus', observationLevel: 'event' };
    const seen = (observationID: string, individualID: string, rest: Cells = {}): Cells => ({
      ...deer,
      observationID,
      eventID: observationID,
      individualID,
      ...rest,
    });
    const path = exampleWith(
      seen('one', 'RD213'),
      seen('two', 'RD213'),
      seen('three', 'rd214'),
      seen('four', 'RD213', { scientificName: 'Capreolus capreolus' }),
      seen('five', 'x'.repeat(300)),
    );
    const { id: owner } = await makePerson(started());
    // What other tests have deleted, and the account, by SQL.
    await objectsOf(started().strapi).rebuild();
    const summary = await run(path, { owner });
    expect(summary.individuals).toEqual({ created: 2, existing: 0, refused: 1 });
    // One is also called an animal of another taxon.
    expect(summary).toMatchObject({ faults: 2, encounters: { created: ENCOUNTERS + 5 } });
    const { encounters, individuals } = await everything();
    const of = (id: string) => encounters.find((row) => row['external_id'] === id);
    expect(new Set(['one', 'two', 'four'].map((id) => of(id)?.['individual_id'])).size).toBe(1);
    expect(of('three')?.['individual_id']).not.toBe(of('one')?.['individual_id']);
    expect(of('five')).toMatchObject({ individual_id: null });
    const found = individuals.find(({ id }) => id === of('one')?.['individual_id']);
    expect(found).toMatchObject({ name: 'RD213', encounter_count: 3, version: 1 });
    expect(found?.['taxonomy_id']).toBeNull();
    const owners = [...encounters, ...individuals].map((row) => row['owner_id']);
    expect(new Set(owners).size).toBe(1);
    expect(owners[0]).not.toBeNull();
    const again = await run(path, { owner: null });
    expect(again.individuals).toEqual({ created: 0, existing: 0, refused: 0 });
    expect(again).toMatchObject({ encounters: { created: 0, existing: ENCOUNTERS + 5 } });
    expect(await everything()).toEqual({ encounters, individuals });
    // What is kept of them is what it would be if it were computed anew.
    const anew = await objectsOf(started().strapi).rebuild();
    expect([...anew].filter(([, changed]) => changed > 0)).toEqual([]);
  });

  test('taxa have their ancestors, found or made, and a second time changes nothing', async () => {
    const knex = started().strapi.db.connection;
    const path = exampleWith();
    const birds = { kingdom: 'ANIMALIA', class: 'Aves', order: 'Pelecaniformes' };
    const higher: Record<string, Json> = {
      'Ardea cinerea': { ...birds, family: 'ARDEIDAE', genus: 'ardea' },
      'Anas platyrhynchos': { kingdom: 'Animalia', class: 'Aves', family: 'x'.repeat(300) },
    };
    rewrite(path, 'datapackage.json', (text) => {
      const descriptor = JSON.parse(text) as { taxonomic: { scientificName: string }[] };
      const taxonomic = descriptor.taxonomic.map((one) => ({
        ...one,
        ...higher[one.scientificName],
      }));
      return JSON.stringify({ ...descriptor, taxonomic });
    });
    const write = (body: Json) =>
      objectsOf(started().strapi).write({ op: 'create', type: 'taxonomy', body }, itself);
    await write({ scientific_name: 'Ardeidae', rank: 'family' });
    const first = await run(path);
    // Of the family that there is, nothing is changed; one is refused, and its species belongs to the class.
    expect(first.taxa).toEqual({ created: TAXA + 2, existing: 1, refused: 1 });
    expect(first.faults).toBe(1);
    const parents = await knex('taxonomies')
      .leftJoin('taxonomies as p', 'p.id', 'taxonomies.parent_id')
      .whereNotNull('p.id')
      .orderBy('taxonomies.scientific_name')
      .select<StoredRow[]>(
        'taxonomies.scientific_name as name',
        'taxonomies.rank',
        'p.scientific_name as parent',
      );
    expect(parents.map(({ name, rank, parent }) => [rank, name, parent])).toEqual([
      ['species', 'Anas platyrhynchos', 'Aves'],
      ['genus', 'Ardea', 'Ardeidae'],
      ['species', 'Ardea cinerea', 'Ardea'],
      ['class', 'Aves', 'Animalia'],
      ['order', 'Pelecaniformes', 'Aves'],
    ]);
    const before = await stored();
    const again = await run(path);
    expect(again.taxa).toEqual({ created: 0, existing: TAXA + 3, refused: 1 });
    expect(await stored()).toEqual(before);
  });

  test.each([
    ['a time', 'eventStart', 'fubar'],
    ['a deployment', 'deploymentID', 'nowhere'],
    ['a level', 'observationLevel', 'herd'],
    ['a type', 'observationType', 'duck'],
    ['a count', 'count', '0'],
  ] as const)('%s that is mended makes no second encounter', async (_, column, wrong) => {
    const path = exampleWith();
    // At event level; the same event has observations at media level.
    rewriteCell(path, 'observations.csv', '705e6036', column, wrong);
    const first = await run(path);
    expect(first.encounters).toEqual({ created: ENCOUNTERS - 1, existing: 0, refused: 1 });
    const second = await run(EXAMPLE);
    expect(second.encounters).toEqual({ created: 1, existing: ENCOUNTERS - 1, refused: 0 });
  });

  test('nor does a row at media level by which its encounter is known', async () => {
    const event = { eventID: 'new', observationLevel: 'media', mediaID: 'm1' };
    const rows = [
      { ...event, observationID: 'later', eventStart: '2020-06-12T04:04:30Z', eventEnd: '' },
      { ...event, observationID: 'earliest' },
    ];
    const path = exampleWith(...rows);
    rewriteCell(path, 'observations.csv', 'earliest', 'eventStart', 'fubar');
    expect((await run(path)).encounters.created).toBe(ENCOUNTERS);
    expect((await run(exampleWith(...rows))).encounters.created).toBe(1);
  });

  test('what was read of a deployment is reported there, once', async () => {
    const path = exampleWith();
    const name = 'x'.repeat(300);
    rewriteCell(path, 'deployments.csv', '00a2c20d', 'locationName', name);
    rewriteCell(path, 'deployments.csv', '00a2c20d', 'coordinateUncertainty', '30000000');
    rewriteCell(path, 'deployments.csv', '29b7d356', 'locationName', '');
    rewriteCell(path, 'deployments.csv', '29b7d356', 'locationID', name);
    const summary = await run(path);
    expect(summary.encounters.refused).toBeGreaterThan(3);
    const lines = readFileSync(report, 'utf8').trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(0, 4).join(',')).sort()).toEqual([
      'deployments.csv,2,coordinateUncertainty,is more than 20037509',
      'deployments.csv,2,locationName,is longer than 255',
      'deployments.csv,3,locationID,is longer than 255',
    ]);
  });

  test('strict imports nothing if any record is invalid', async () => {
    const path = exampleWith({ observationID: 'bad', behavior: 'x'.repeat(300) });
    expect(await run(path, { strict: true })).toMatchObject({ faults: 1, kept: false });
    expect(await stored()).toEqual({ encounters: [], taxa: [] });
    expect(await run(EXAMPLE, { strict: true })).toMatchObject({ faults: 0, kept: true });
    expect((await stored()).encounters).toHaveLength(ENCOUNTERS);
  });

  test('a dry run keeps nothing and reports the result that it would have', async () => {
    expect(await run(EXAMPLE, { dryRun: true })).toMatchObject({
      encounters: { created: ENCOUNTERS, existing: 0, refused: 0 },
      kept: false,
    });
    expect(await stored()).toEqual({ encounters: [], taxa: [] });
  });

  test('a record that is there stays as it was made', async () => {
    await run(EXAMPLE);
    const { connection } = started().strapi.db;
    await connection('encounters').where('external_id', '705e6036').update({ locality: 'edited' });
    const before = await stored();
    await run(EXAMPLE);
    expect(await stored()).toEqual(before);
  });

  describe('a package with photographs', () => {
    const SERENGETI = join(EXAMPLE, '..', 'serengeti-photos');
    const knex = () => started().strapi.db.connection;
    const shown = (): Promise<Record<string, unknown>[]> =>
      knex()('encounters')
        .join('encounters_assets_lnk', 'encounters_assets_lnk.encounter_id', 'encounters.id')
        .join('assets', 'encounters_assets_lnk.asset_id', 'assets.id')
        .select('external_id', 'filename', 'encounters.version')
        .orderBy('external_id');

    function copied(): string {
      const folder = join(mkdtempSync(join(temporary, 'photographs-')), 'package');
      cpSync(SERENGETI, folder, { recursive: true });
      return folder;
    }
    afterEach(async () => {
      await knex()('encounters_assets_lnk').delete();
    });

    test('gives each encounter those that show it, once', async () => {
      const first = await run(SERENGETI);
      expect(first).toMatchObject({
        encounters: { created: 9 },
        photographs: { created: 9, refused: 0, elsewhere: 0 },
        // Its license is none that records can have.
        faults: 1,
      });
      const found = await shown();
      expect(found).toHaveLength(9);
      for (const { external_id: id, filename } of found) expect(filename).toBe(`${String(id)}.jpg`);
      const again = await run(SERENGETI);
      expect(again.photographs).toEqual({ created: 0, refused: 0, elsewhere: 0 });
      expect(await shown()).toEqual(found);
    });

    test('keeps none of a dry run', async () => {
      const tried = await run(SERENGETI, { dryRun: true });
      expect([tried.kept, tried.photographs.created]).toEqual([false, 0]);
      expect(await knex()('assets').select('id')).toEqual([]);
    });

    test('reports what is no image or leads out of it, and leaves what is elsewhere', async () => {
      const folder = copied();
      writeFileSync(join(folder, 'media', 'S1_F10_R1_PICT0104.jpg'), '<svg/>');
      rmSync(join(folder, 'media', 'S1_P07_R1_PICT0370.jpg'));
      const table = join(folder, 'media.csv');
      const text = readFileSync(table, 'utf8')
        .replace('media/S6_J06', '../outside/S6_J06')
        .replace('media/S6_I04', 'https://example.org/S6_I04');
      writeFileSync(table, text);
      const summary = await run(folder);
      expect(summary.photographs).toEqual({ created: 5, refused: 2, elsewhere: 2 });
      const lines = readFileSync(report, 'utf8').trimEnd().split('\r\n').slice(1);
      expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual([
        'datapackage.json,,licenses,is none of the licenses that records can have',
        'media.csv,10,filePath,is outside of the package',
        'media.csv,2,filePath,"is not an image: JPEG',
      ]);
      expect(await shown()).toHaveLength(5);
    });
  });
}
