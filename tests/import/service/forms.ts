import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { temporary } from '../example';
import { useImports, type StoredRow } from './imports';

const DWC = 'http://rs.tdwg.org/dwc/terms/';

type Rows = readonly (readonly string[])[];

const csv = (rows: Rows, end = '\n'): string =>
  rows.map((row) => `${row.join(',')}${end}`).join('');

interface Table {
  readonly name: string;
  readonly rowType: string;
  /** Its rows have no ID: no extension refers to them. */
  readonly isAlone?: true;
  /** The first row has the terms. */
  readonly rows: Rows;
}

const fieldsOf = ([terms = []]: Rows): string =>
  terms.map((term, at) => `<field index="${at}" term="${DWC}${term}"/>`).join('');

/** Writes an archive whose tables end their lines so. @returns its folder */
function archiveOf(core: Table, extensions: readonly Table[] = [], end = '\n'): string {
  const folder = join(mkdtempSync(join(temporary, 'form-')), 'form');
  mkdirSync(folder);
  const said = end === '\r' ? '\\r' : '\\n';
  const described = ({ name, rowType, rows, isAlone }: Table, kind: 'core' | 'extension'): string =>
    `<${kind} rowType="${DWC}${rowType}" fieldsTerminatedBy="," linesTerminatedBy="${said}" ignoreHeaderLines="1">
      <files><location>${name}</location></files>
      ${isAlone ? '' : `<${kind === 'core' ? 'id' : 'coreid'} index="0"/>`}${fieldsOf(rows)}</${kind}>`;
  for (const { name, rows } of [core, ...extensions])
    writeFileSync(join(folder, name), csv(rows, end));
  writeFileSync(
    join(folder, 'meta.xml'),
    `<archive xmlns="http://rs.tdwg.org/dwc/text/">${described(core, 'core')}${extensions.map((one) => described(one, 'extension')).join('')}</archive>`,
  );
  return folder;
}

const TWO: Rows = [
  ['occurrenceID', 'scientificName', 'eventDate', 'locality'],
  ['a', 'Vulpes vulpes', '2020-05-01', 'north'],
  ['b', 'Meles meles', '2020-05-02', 'south'],
];

const OCCURRENCES: Table = { name: 'o.csv', rowType: 'Occurrence', rows: TWO };

/** Archives as others write them. */
export function testForms(started: () => TestService): void {
  const report = join(temporary, 'forms-report.csv');
  const { run, rows } = useImports(started, report);

  const found = async (): Promise<Record<string, StoredRow>> =>
    Object.fromEntries((await rows('encounters')).map((row) => [String(row.external_id), row]));
  const times = async (): Promise<Json> =>
    Object.fromEntries(Object.entries(await found()).map(([id, row]) => [id, row.time]));
  const faults = (): string[] =>
    readFileSync(report, 'utf8')
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 4).join(' '));
  const BOTH = { a: '2020-05-01', b: '2020-05-02' };

  test.each([
    ['a folder', (folder: string) => folder],
    [
      'a .tgz of a folder',
      (folder: string) => {
        const file = `${folder}.tgz`;
        execFileSync('tar', ['czf', file, '-C', join(folder, '..'), 'form']);
        return file;
      },
    ],
    [
      'a .tar.gz of its files',
      (folder: string) => {
        const file = `${folder}.tar.gz`;
        execFileSync('tar', ['czf', file, '-C', folder, '.']);
        return file;
      },
    ],
  ])('are read from %s', async (_, packed) => {
    const { encounters, faults: told } = await run(packed(archiveOf(OCCURRENCES)));
    expect([encounters.created, told, await times()]).toEqual([2, 0, BOTH]);
  });

  test('are read where lines end with CR alone', async () => {
    const { rows: read, encounters } = await run(archiveOf(OCCURRENCES, [], '\r'));
    expect([read, encounters.created, await times()]).toEqual([2, 2, BOTH]);
  });

  test.each([
    ['.csv', (text: string) => Buffer.from(text)],
    ['.csv.gz', (text: string) => gzipSync(text)],
    ['.tsv', (text: string) => Buffer.from(text.replaceAll(',', '\t'))],
  ])('are read as a lone %s with the terms as headings', async (end, bytes) => {
    const file = join(mkdtempSync(join(temporary, 'lone-')), `foxes${end}`);
    writeFileSync(file, bytes(csv(TWO)));
    const { source, encounters } = await run(file);
    expect([source, encounters.created, await times()]).toEqual(['foxes', 2, BOTH]);
  });

  test('have the place and time of an event at each of its occurrences', async () => {
    const events: Table = {
      name: 'e.csv',
      rowType: 'Event',
      rows: [
        ['eventID', 'eventDate', 'decimalLatitude', 'decimalLongitude', 'samplingProtocol'],
        ['e1', '2020-05-01', '50.5', '4.5', 'transect'],
        ['e2', '2020-05-02', '51.5', '5.5', 'point count'],
      ],
    };
    const seen: Table = {
      name: 'o.csv',
      rowType: 'Occurrence',
      rows: [
        ['eventID', 'occurrenceID', 'scientificName', 'eventDate'],
        ['e1', 'a', 'Vulpes vulpes', ''],
        ['e1', 'b', 'Meles meles', '2020-05-01T10:00Z'],
        ['e2', 'c', 'Lutra lutra', ''],
      ],
    };
    const { encounters } = await run(archiveOf(events, [seen]));
    expect(encounters.created).toBe(3);
    const { a, b, c } = await found();
    expect(a).toMatchObject({ time: '2020-05-01', latitude: 50.5, sampling_protocol: 'transect' });
    expect(b).toMatchObject({ time: '2020-05-01T10:00Z', latitude: 50.5, longitude: 4.5 });
    expect(c).toMatchObject({ time: '2020-05-02', latitude: 51.5, longitude: 5.5 });
    expect([a?.event_id === b?.event_id, a?.event_id === c?.event_id]).toEqual([true, false]);
  });

  test('have an ID of institution, collection and catalogue number where they have no other', async () => {
    const specimens = archiveOf({
      ...OCCURRENCES,
      isAlone: true,
      rows: [
        ['catalogNumber', 'collectionCode', 'institutionCode', 'scientificName'],
        ['1', 'Mam', 'RBINS', 'Vulpes vulpes'],
        ['1', 'Mam', 'NHM', 'Vulpes vulpes'],
        ['2', 'Mam', 'RBINS', 'Vulpes vulpes'],
        ['2', 'Mam', 'RBINS', 'Vulpes vulpes'],
        ['3', 'Mam', '', 'Vulpes vulpes'],
      ],
    });
    const first = await run(specimens, { alwaysReport: true });
    expect([first.encounters.created, first.encounters.refused]).toEqual([3, 2]);
    const ids = ['NHM:Mam:1', 'RBINS:Mam:1', 'RBINS:Mam:2'];
    expect(Object.keys(await found()).sort()).toEqual(ids);
    const again = await run(specimens);
    expect([again.encounters.created, again.encounters.existing]).toEqual([0, 3]);
  });

  test('lose their positions where nine in ten lie in their country when swapped, and not otherwise', async () => {
    const at = (count: number, swapped: number): string =>
      archiveOf({
        ...OCCURRENCES,
        rows: [
          ['occurrenceID', 'countryCode', 'decimalLatitude', 'decimalLongitude'],
          ...Array.from({ length: count }, (_, n) => [
            `p${n}`,
            'BE',
            ...(n < swapped ? ['4.5', '50.5'] : ['50.5', '4.5']),
          ]),
        ],
      });
    await run(at(20, 18), { alwaysReport: true });
    const dropped = Object.values(await found());
    expect(dropped.filter(({ latitude }) => latitude !== null)).toEqual([]);
    const kept = dropped[0]?.verbatim;
    expect(typeof kept === 'string' ? JSON.parse(kept) : kept).toMatchObject({
      verbatimLatitude: '4.5',
      verbatimLongitude: '50.5',
    });
    expect(faults().length).toBeGreaterThan(0);
  });

  test('keep their positions where fewer are swapped, each of which is told', async () => {
    const rowsOf = Array.from({ length: 20 }, (_, n) => [
      ...[`p${n}`, 'BE'],
      ...(n < 17 ? ['4.5', '50.5'] : ['50.5', '4.5']),
    ]);
    const terms = ['occurrenceID', 'countryCode', 'decimalLatitude', 'decimalLongitude'];
    await run(archiveOf({ ...OCCURRENCES, rows: [terms, ...rowsOf] }), { alwaysReport: true });
    const stored = Object.values(await found());
    expect(stored.filter(({ latitude }) => latitude === 4.5)).toHaveLength(17);
    expect(faults().filter((line) => /decimalLatitude/.test(line))).toHaveLength(17);
  });

  test('keep what rows of extensions say in columns without a field, of any extension', async () => {
    const extension = (rowType: string, ...lines: Rows): Table => ({
      name: `${rowType}.csv`,
      rowType,
      rows: lines,
    });
    const folder = archiveOf(OCCURRENCES, [
      extension(
        'MeasurementOrFact',
        ['id', 'measurementType', 'measurementValue', 'measurementMethod'],
        ['a', 'tail', '40', 'calipers'],
        ['a', 'weight', '6', ''],
        ['none', 'weight', '6', 'scales'],
      ),
      extension('Identification', ['id', 'identifiedBy', 'dateIdentified'], ['b', 'Ann', '2021']),
      extension('Occurrence', ['id', 'recordedBy'], ['b', 'told by the core']),
    ]);
    const { verbatim, unread, faults: told } = await run(folder, { alwaysReport: true });
    expect(verbatim).toEqual({
      'MeasurementOrFact.csv': { measurementMethod: 1 },
      'Identification.csv': { identifiedBy: 1, dateIdentified: 1 },
    });
    expect([unread, told]).toEqual([{ 'Occurrence.csv': { Occurrence: null } }, 1]);
    const { a, b } = await found();
    const kept = (row?: StoredRow): Json =>
      (typeof row?.verbatim === 'string' ? JSON.parse(row.verbatim) : row?.verbatim) as Json;
    expect(kept(a)).toEqual({
      MeasurementOrFact: '[{"measurementType":"tail","measurementMethod":"calipers"}]',
    });
    expect(kept(b)).toEqual({
      Identification: '[{"identifiedBy":"Ann","dateIdentified":"2021"}]',
    });
  });

  test('keep no more of rows of extensions than an encounter can have, and tell of the rest', async () => {
    const identified = (count: number, text: string): Table => ({
      name: 'i.csv',
      rowType: 'Identification',
      rows: [['id', 'identifiedBy'], ...Array.from({ length: count }, () => ['a', text])],
    });
    const long = await run(archiveOf(OCCURRENCES, [identified(700, 'x'.repeat(100))]));
    expect([long.verbatim, long.unread]).toEqual([{}, { 'i.csv': { identifiedBy: 700 } }]);
    const many = await run(archiveOf(OCCURRENCES, [identified(1001, 'x')]), { alwaysReport: true });
    expect(many).toMatchObject({ faults: 1, verbatim: { 'i.csv': { identifiedBy: 1000 } } });
    expect(faults()[0]).toMatch(/^o\.csv 2 occurrenceID has more than 1000 rows/);
  });

  test('with a NUL in a cell name the line, and are read but for it', async () => {
    const [terms = [], a = [], b = []] = TWO;
    const folder = archiveOf({ ...OCCURRENCES, rows: [terms, a, [...b.slice(0, 3), 'so\0uth']] });
    const { encounters } = await run(folder, { alwaysReport: true });
    expect(encounters.created + encounters.refused).toBe(2);
    expect(Object.keys(await found())).toContain('a');
    expect(faults().filter((line) => /^o\.csv 3 /.test(line))).not.toEqual([]);
    const [text] = (await rows('encounters')).flatMap(({ locality }) => String(locality));
    expect(text).not.toContain('\0');
  });
}
