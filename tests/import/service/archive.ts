import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventId } from '#app/plugins/exchange/server/package/encounter-body';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { DEMO, temporary } from '../example';
import { useImports, type StoredRow } from './imports';

const OYSTERCATCHERS = join(DEMO, 'dwca-oystercatchers');
const PHOTOGRAPH = join(DEMO, 'serengeti-photos', 'media', 'S1_F10_R1_PICT0104.jpg');

const DWC = 'http://rs.tdwg.org/dwc/terms/';

/** The columns of the made-up archive, which is Latin-1 with CRLF, semicolons and no header. */
const COLUMNS = [
  ...['occurrenceID', 'datasetID', 'organismID', 'organismName', 'eventDate', 'eventTime', 'year'],
  ...['month', 'sex', 'lifeStage', 'vitality', 'individualCount', 'recordedBy', 'scientificName'],
  ...['taxonRank', 'genus', 'family', 'vernacularName', 'decimalLatitude', 'decimalLongitude'],
  ...['coordinateUncertaintyInMeters', 'geodeticDatum', 'dataGeneralizations', 'occurrenceStatus'],
  ...['occurrenceRemarks', 'associatedMedia', 'dynamicProperties', 'eventID'],
] as const;

type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

const FOX: Cells = {
  ...{ organismID: 'f1', organismName: 'Félix', scientificName: 'Vulpes vulpes' },
  ...{ taxonRank: 'Species', genus: 'Vulpes', family: 'Canidae', vernacularName: 'red fox' },
};

const ROWS: Cells[] = [
  {
    ...FOX,
    ...{ occurrenceID: 'o1', eventDate: '2005-07-03', eventTime: '14:05+02:00', sex: 'MALE' },
    ...{ lifeStage: 'Adult', vitality: 'Alive', individualCount: '1', recordedBy: 'Ann|Bo' },
    ...{ decimalLatitude: '53,0077', decimalLongitude: '-0.0', geodeticDatum: 'EPSG:4326' },
    ...{ coordinateUncertaintyInMeters: '1000', dataGeneralizations: 'rounded' },
    ...{ occurrenceRemarks: 'said "hé; ho"', eventID: 'e1' },
    ...{ associatedMedia: 'images/a.jpg|https://example.org/b.jpg|images/none.jpg' },
    ...{ dynamicProperties: '{"tail":12.5}' },
  },
  { ...FOX, occurrenceID: 'o2', year: '1998', sex: 'Unknown' },
  { ...FOX, occurrenceID: 'o3', eventDate: '2005-07/2005-09', organismID: 'f2' },
  { ...FOX, occurrenceID: 'o4', eventDate: 'last spring', lifeStage: 'larva' },
  { ...FOX, occurrenceID: 'o5', occurrenceStatus: 'absent' },
  { ...FOX, occurrenceID: 'o1' },
  { ...FOX },
  { occurrenceID: 'o8', datasetID: 'other', eventDate: '2018-05-09T14:15:00Z' },
  { occurrenceID: 'o9', occurrenceRemarks: 'x'.repeat(10_001) },
];

const quoted = (text: string): string =>
  /[";]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const lineOf = (cells: Cells): string =>
  `${COLUMNS.map((column) => quoted(cells[column] ?? '')).join(';')}\r\n`;

/** Writes the archive. @returns its folder */
function makeArchive(rows: readonly Cells[] = ROWS): string {
  const folder = join(mkdtempSync(join(temporary, 'archive-')), 'foxes');
  mkdirSync(join(folder, 'images'), { recursive: true });
  cpSync(PHOTOGRAPH, join(folder, 'images', 'a.jpg'));
  const fields = COLUMNS.map((term, index) => `<field index="${index}" term="${DWC}${term}"/>`);
  writeFileSync(
    join(folder, 'meta.xml'),
    `<archive xmlns="http://rs.tdwg.org/dwc/text/">
      <core encoding="ISO-8859-1" fieldsTerminatedBy=";" linesTerminatedBy="\\r\\n" rowType="${DWC}Occurrence">
        <files><location>occurrence.txt</location></files>
        <id index="0"/>${fields.join('')}
        <field default="PreservedSpecimen" term="${DWC}basisOfRecord"/>
        <field default="http://creativecommons.org/licenses/by/4.0/" term="http://purl.org/dc/terms/license"/>
      </core>
      <extension fieldsTerminatedBy="\\t" fieldsEnclosedBy="" ignoreHeaderLines="1" rowType="${DWC}MeasurementOrFact">
        <files><location>facts.txt</location></files>
        <coreid index="0"/><field index="1" term="${DWC}measurementType"/>
        <field index="2" term="${DWC}measurementValue"/><field index="3" term="${DWC}measurementUnit"/>
      </extension>
      <extension rowType="http://rs.gbif.org/terms/1.0/Multimedia">
        <files><location>media.txt</location></files>
        <coreid index="0"/><field index="1" term="http://purl.org/dc/terms/identifier"/>
        <field index="2" term="http://purl.org/dc/terms/rightsHolder"/>
      </extension>
    </archive>`,
  );
  writeFileSync(join(folder, 'occurrence.txt'), Buffer.from(rows.map(lineOf).join(''), 'latin1'));
  writeFileSync(
    join(folder, 'facts.txt'),
    '\uFEFFid\ttype\tvalue\tunit\no1\tweight\t5.50\tkg\no1\tcolor\tred\t\no5\tweight\t1\tkg\nnone\tweight\t1\tkg\n',
  );
  writeFileSync(join(folder, 'media.txt'), 'o2,images/a.jpg,Ann\no2,../a.jpg,Ann\n');
  return folder;
}

/** The import of Darwin Core archives, on a shared service. */
export function testArchives(started: () => TestService): void {
  const report = join(temporary, 'archive-report.csv');
  const { run, rows: stored } = useImports(started, report);

  async function encounter(externalId: string): Promise<StoredRow> {
    const found = (await stored('encounters')).find((row) => row.external_id === externalId);
    if (!found) throw new Error(`there is no encounter ${externalId}`);
    return found;
  }

  const json = (value: unknown): Json =>
    (typeof value === 'string' ? JSON.parse(value) : value) as Json;

  test('the oystercatchers are six birds', async () => {
    expect(await run(OYSTERCATCHERS)).toEqual({
      source: 'https://doi.org/10.5281/zenodo.10053903',
      taxa: { created: 2, existing: 0, refused: 0 },
      individuals: { created: 6, existing: 0, refused: 0 },
      encounters: { created: 5827, existing: 0, refused: 0 },
      leftOut: { absent: 0 },
      photographs: { created: 0, refused: 0, elsewhere: 0 },
      ...{ merged: 0, faults: 0, stopped: false, kept: true, report: null },
      ...{ rows: 5827, kinds: [] },
      verbatim: {
        'occurrence.csv': expect.objectContaining({
          eventType: 5827,
          rightsHolder: 5827,
        }) as object,
        'emof.csv': { measurementTypeID: 14, measurementUnitID: 14, measurementValueID: 14 },
      },
      unread: {},
    });
    const tagged = await encounter('5515851_5642_start');
    expect(tagged).toMatchObject({
      ...{ time: '2018-05-09T14:15:00Z', basis_of_record: 'human_observation', sex: 'unknown' },
      ...{ life_stage: 'adult', latitude: 53.00776667, longitude: 6.58055556 },
      ...{ coordinate_uncertainty: 187, license: 'CC0-1.0', sampling_protocol: 'tag attachment' },
      remarks: 'UvA-BiTS tag attached by harness to free-ranging animal',
    });
    expect(json(tagged.measurements)).toEqual([
      { type: 'sex', value: 'unknown', unit: null },
      { type: 'life stage', value: 'adult', unit: null },
    ]);
    const tracked = await encounter('20432407608');
    expect(tracked).toMatchObject({ basis_of_record: 'machine_observation', elevation: 5 });
    expect(json(tracked.measurements)).toEqual([
      {
        ...{ type: 'dataGeneralizations', unit: null },
        value: 'subsampled by hour: first of 1 record(s)',
      },
    ]);
    expect(tracked.individual_id).toBe(tagged.individual_id);
    const [animals, species] = await stored('taxonomies');
    expect(animals).toMatchObject({ scientific_name: 'Animalia', rank: 'kingdom' });
    expect(species).toMatchObject({
      scientific_name: 'Haematopus ostralegus',
      parent_id: animals?.id,
    });

    const again = await run(OYSTERCATCHERS);
    expect(again.encounters).toEqual({ created: 0, existing: 5827, refused: 0 });
    expect([again.individuals.created, again.taxa.created]).toEqual([0, 0]);
  }, 120_000);

  test('what is certain is read, and the rest is reported', async () => {
    const folder = makeArchive();
    const summary = await run(folder);
    expect(summary).toMatchObject({
      source: 'foxes',
      taxa: { created: 3, existing: 0, refused: 0 },
      encounters: { created: 5, existing: 0, refused: 3 },
      leftOut: { absent: 1 },
      photographs: { created: 1, refused: 1, elsewhere: 2 },
      kept: true,
    });
    expect(readFileSync(report, 'utf8').trimEnd().split('\r\n').slice(1)).toEqual([
      'occurrence.txt,4,eventDate,"is no time in a form of ISO 8601, or does not exist",last spring',
      'occurrence.txt,4,lifeStage,"means none of newborn, juvenile, subadult, adult, unknown for certain",larva',
      'occurrence.txt,7,occurrenceID,is missing,',
      'media.txt,2,identifier,is outside of the package,../a.jpg',
      'occurrence.txt,6,occurrenceID,is the ID of an earlier row,o1',
      'facts.txt,5,occurrenceID,is the ID of no occurrence in the archive,none',
      'occurrence.txt,3,organismName,"is the name of another individual, and left out",Félix',
      expect.stringMatching(/^occurrence\.txt,9,occurrenceRemarks,is longer than 10000,x+…$/),
    ]);

    const first = await encounter('o1');
    expect(first).toMatchObject({
      ...{ time: '2005-07-03T14:05+02:00', sex: 'male', life_stage: 'adult', group_size: 1 },
      ...{ living_status: 'alive', latitude: 53.0077, longitude: 0, coordinate_uncertainty: 1000 },
      ...{ remarks: 'said "hé; ho"', basis_of_record: 'specimen', license: 'CC-BY-4.0' },
      ...{ source: 'foxes', event_id: eventId('foxes', 'e1') },
    });
    expect(Object.is(first.longitude, 0)).toBe(true);
    expect(json(first.observers)).toEqual(['Ann', 'Bo']);
    expect(json(first.measurements)).toEqual([
      { type: 'dataGeneralizations', value: 'rounded', unit: null },
      { type: 'tail', value: 12.5, unit: null },
      { type: 'weight', value: 5.5, unit: 'kg' },
      { type: 'color', value: 'red', unit: null },
    ]);
    expect(await encounter('o2')).toMatchObject({ time: '1998', sex: 'unknown' });
    expect(await encounter('o3')).toMatchObject({ time: '2005-07/2005-09' });
    expect(await encounter('o4')).toMatchObject({ time: null, verbatim_time: 'last spring' });
    expect(await encounter('o8')).toMatchObject({ source: 'other', taxonomy_id: null });
  });

  test('an organism is an individual with its name, and one name is of one individual', async () => {
    await run(makeArchive());
    const names = (await stored('individuals')).map((row) => json(row.names));
    const own = (value: string) => ({ context: 'foxes', value, preferred: false });
    expect(names).toEqual([
      [own('f1'), { context: 'foxes', value: 'Félix', preferred: true }],
      [own('f2')],
    ]);
    const [one, two] = [await encounter('o1'), await encounter('o3')];
    expect((await encounter('o2')).individual_id).toBe(one.individual_id);
    expect(two.individual_id).not.toBe(one.individual_id);
  });

  test('one file of two occurrences is one asset, which both have', async () => {
    await run(makeArchive());
    expect(await stored('assets')).toHaveLength(1);
    const links = await started()
      .strapi.db.connection('encounters_assets_lnk')
      .select<StoredRow[]>('*');
    const ids = [await encounter('o1'), await encounter('o2')].map(({ id }) => id);
    expect(links.map((link) => link.encounter_id).sort()).toEqual(ids.sort());
  });

  test('a second time changes nothing; strict and dry runs keep nothing', async () => {
    const folder = makeArchive();
    const dry = await run(folder, { dryRun: true });
    expect(dry).toMatchObject({ encounters: { created: 5 }, kept: false });
    expect(await run(folder, { strict: true })).toMatchObject({ kept: false });
    expect(await stored('encounters')).toEqual([]);
    await run(folder);
    const before = [await stored('encounters'), await stored('individuals')];
    const again = await run(folder);
    expect(again.encounters).toEqual({ created: 0, existing: 5, refused: 3 });
    expect([await stored('encounters'), await stored('individuals')]).toEqual(before);
  });
}
