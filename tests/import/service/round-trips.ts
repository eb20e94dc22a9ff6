import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { anonymous, local } from '#app/core/caller';
import { readWanted } from '#app/endpoints/export/export';
import { prepareExport } from '#app/endpoints/export/write';
import { registryOf } from '#app/plugins/objects/server';
import { rowsOf, unzipped } from '../../helpers/archive';
import type { TestService } from '../../helpers/service';
import { DEMO, EXAMPLE, temporary } from '../example';
import { useImports } from './imports';

/** IDs of the instance, and what is said of the export itself. */
const OF_INSTANCE: ReadonlySet<string> = new Set([
  ...['occurrenceID', 'taxonID', 'parentNameUsageID', 'acceptedNameUsageID', 'measurementID'],
  ...['catalogNumber', 'modified', 'datasetID', 'observationID'],
]);

/** Rows of the oystercatchers; all of them with `OMS_ROUND_TRIP=long`. */
const ROWS = process.env.OMS_ROUND_TRIP === 'long' ? Infinity : 200;

const DWC = 'http://rs.tdwg.org/dwc/terms/';

/** A row with terms that the product reads, and ten that it does not. */
const MADE: Readonly<Record<string, string>> = {
  ...{ occurrenceID: 'm1', datasetID: 'made', basisOfRecord: 'HumanObservation', sex: 'macho?' },
  ...{ lifeStage: 'adult', vitality: 'alive', individualCount: '2', behavior: 'resting' },
  ...{ organismID: 'L1', organismName: 'Luna', eventDate: '2020-05-01T10:00:00+02:00' },
  ...{ verbatimEventDate: 'May Day', eventID: 'e1', samplingProtocol: 'transect' },
  ...{ decimalLatitude: '50.5', decimalLongitude: '5.5', coordinateUncertaintyInMeters: '30' },
  ...{ verbatimLocality: 'km 5', countryCode: 'BE', minimumElevationInMeters: '100' },
  ...{ recordedBy: 'Ann | Bo', occurrenceRemarks: 'two\nlines', license: 'CC0-1.0' },
  ...{ scientificName: 'Lynx lynx carpathicus', taxonRank: 'subspecies', kingdom: 'Animalia' },
  ...{ higherClassification: 'Animalia | Felidae | Lynx | Lynx lynx', vernacularName: 'lynx' },
  ...{ language: 'en', associatedMedia: 'https://example.org/a.jpg', recordedByID: 'orcid:1' },
  ...{ habitat: 'reed bed', identifiedBy: 'Roe', samplingEffort: '2 nights', fieldNumber: 'f1' },
  ...{ verbatimCoordinates: '50 N 5 E', establishmentMeans: 'native', waterBody: 'Maas' },
  ...{ stateProvince: 'Liège', institutionCode: 'RBINS', ownColumn: 'of its own' },
};

/** Packages that go through an import, an export, an import where nothing is, and an export. */
export function testRoundTrips(started: () => TestService): void {
  const { run, rows, empty } = useImports(started, join(temporary, 'round-trips.csv'));

  async function exported(format: string): Promise<string> {
    const { strapi } = started();
    const { resource } = registryOf(strapi).model().type('encounter');
    const wanted = readWanted(resource, { query: new Map([['format', format]]) });
    const file = join(mkdtempSync(join(temporary, 'round-')), 'archive.zip');
    const write = await prepareExport(strapi, local(anonymous('moderator')), wanted);
    await pipeline(await write(), createWriteStream(file));
    return file;
  }

  /** The tables of an export without IDs of the instance, their rows sorted. */
  async function contentsOf(file: string): Promise<Record<string, string[]>> {
    const files = await unzipped(readFileSync(file));
    const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
    const tables = [...files].filter(([name]) => name.endsWith('.csv'));
    return Object.fromEntries(
      tables.map(([name, text]) => [
        name,
        rowsOf(text)
          .map((row) =>
            JSON.stringify(Object.entries(row).filter(([term]) => !OF_INSTANCE.has(term))).replace(
              uuid,
              'UUID',
            ),
          )
          .sort(),
      ]),
    );
  }

  async function bothWays(path: string, format: string): Promise<void> {
    await run(path);
    const first = await exported(format);
    await empty();
    await run(first);
    const second = await exported(format);
    expect(await contentsOf(second)).toEqual(await contentsOf(first));
  }

  function oystercatchers(): string {
    const from = join(DEMO, 'dwca-oystercatchers');
    const folder = mkdtempSync(join(temporary, 'birds-'));
    for (const name of ['meta.xml', 'emof.csv', 'occurrence.csv']) {
      const lines = readFileSync(join(from, name), 'utf8').split('\n');
      const kept = name === 'occurrence.csv' && lines.length > ROWS ? lines.slice(0, ROWS) : lines;
      writeFileSync(join(folder, name), `${kept.join('\n').trimEnd()}\n`);
    }
    return folder;
  }

  function made(row = MADE): string {
    const folder = join(mkdtempSync(join(temporary, 'made-')), 'made');
    mkdirSync(folder);
    const terms = Object.keys(row);
    const fields = terms.map((term, at) => `<field index="${at}" term="${DWC}${term}"/>`);
    writeFileSync(
      join(folder, 'meta.xml'),
      `<archive xmlns="http://rs.tdwg.org/dwc/text/"><core rowType="${DWC}Occurrence" fieldsTerminatedBy="," fieldsEnclosedBy="&quot;" ignoreHeaderLines="1"><files><location>o.csv</location></files><id index="0"/>${fields.join('')}</core></archive>`,
    );
    const lines = [terms, Object.values(row)];
    writeFileSync(
      join(folder, 'o.csv'),
      lines.map((cells) => `${cells.map((cell) => `"${cell}"`).join(',')}\n`).join(''),
    );
    return folder;
  }

  test.each([
    ['the example', () => EXAMPLE],
    ['the oystercatchers', oystercatchers],
    ['an archive with terms that have no field', () => made()],
  ])(
    'of %s, as a Darwin Core archive, end where they began',
    async (_name, path) => {
      await bothWays(path(), 'dwca');
    },
    300_000,
  );

  test('of the example, as a Camtrap DP, end where they began, by its deployments', async () => {
    await bothWays(EXAMPLE, 'camtrap_dp');
  });

  test('of terms that have no field and no column, as a Camtrap DP, lose none of them', async () => {
    const camera = { basisOfRecord: 'MachineObservation', samplingProtocol: 'camera trap' };
    await run(made({ ...MADE, ...camera }));
    const kept = async (): Promise<Record<string, string>> => {
      const [row] = await rows('encounters');
      const value = row?.['verbatim'];
      return (typeof value === 'string' ? JSON.parse(value) : value) as Record<string, string>;
    };
    const before = await kept();
    expect(before).toMatchObject({
      samplingEffort: '2 nights',
      ownColumn: 'of its own',
      sex: 'macho?',
    });
    const first = await exported('camtrap_dp');
    await empty();
    await run(first);
    expect(await kept()).toMatchObject(before);
    expect(await contentsOf(await exported('camtrap_dp'))).toEqual(await contentsOf(first));
  });

  test('the positions of tags are no Camtrap DP', async () => {
    await run(oystercatchers());
    await expect(exported('camtrap_dp')).rejects.toMatchObject({ key: 'EXPORT_EMPTY' });
  });
}
