import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageError } from '../package/fault';
import { openPackage } from '../package/open-package';
import { openDarwinCore } from './dataset';
import { readMeta } from './meta';
import { readRows } from './rows';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'oms-archive-')), 'birds');
  mkdirSync(folder);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const DWC = 'http://rs.tdwg.org/dwc/terms/';
const OCCURRENCE = `rowType="${DWC}Occurrence"`;
const FIELDS = `<id index="0"/><field index="0" term="${DWC}occurrenceID"/><field index="1" term="${DWC}sex"/>`;

const core = (attributes: string, fields = FIELDS, location = 'occurrence.txt'): string =>
  `<core ${attributes}><files><location>${location}</location></files>${fields}</core>`;

function writeMeta(content: string, before = ''): void {
  writeFileSync(
    join(folder, 'meta.xml'),
    `<?xml version="1.0"?>${before}<archive xmlns="http://rs.tdwg.org/dwc/text/">${content}</archive>`,
  );
}

const writeTable = (content: string | Buffer): void =>
  writeFileSync(join(folder, 'occurrence.txt'), content);

interface ReadTable {
  readonly rows: [string | null, string | null][];
  readonly faults: string[];
}

/** ID and sex of each row. */
async function readTable(path = folder): Promise<ReadTable> {
  const files = await openPackage(path);
  try {
    const archive = await readMeta(files);
    const found: ReadTable = { rows: [], faults: [] };
    const onFault = ({ line, reason }: { line: number | null; reason: string }): void =>
      void found.faults.push(`${line} ${reason}`);
    for await (const row of readRows(files, archive.core, { onFault }))
      found.rows.push([row.text('occurrenceID'), row.text('sex')]);
    return found;
  } finally {
    await files.close();
  }
}

const TWO: ReadTable['rows'] = [
  ['a', 'é'],
  ['b', 'male'],
];

type Format = [name: string, attributes: string, table: string | Buffer];

const FORMATS: Format[] = [
  ['the defaults of the standard', '', 'a,é\nb,male\n'],
  ['tabs without quotes', String.raw`fieldsTerminatedBy="\t" fieldsEnclosedBy=""`, 'a\té\nb\tmale'],
  [
    'semicolons and CRLF',
    String.raw`fieldsTerminatedBy=";" linesTerminatedBy="\r\n"`,
    'a;é\r\nb;male\r\n',
  ],
  ['bars and other quotes', `fieldsTerminatedBy="|" fieldsEnclosedBy="'"`, "'a'|é\nb|'male'\n"],
  ['a carriage return alone', String.raw`linesTerminatedBy="\r"`, 'a,é\rb,male\r'],
  ['another end of lines', 'linesTerminatedBy="##"', 'a,é##b,male##'],
  ['lines in front', 'ignoreHeaderLines="2"', 'id,sex\n"made by",hand\na,é\nb,male\n'],
  ['a header that is not declared', '', 'occurrenceID,sex\na,é\nb,male\n'],
  ['a byte order mark', '', '\uFEFFa,é\nb,male\n'],
  ['Latin-1', 'encoding="ISO-8859-1"', Buffer.from('a,é\nb,male\n', 'latin1')],
  ['a byte order mark and a wrong encoding', 'encoding="ISO-8859-1"', '\uFEFFa,é\nb,male\n'],
  ['UTF-16', 'encoding="UTF-16"', Buffer.from('\uFEFFa,é\nb,male\n', 'utf16le')],
];

test.each(FORMATS)('a table is read with %s', async (_name, attributes, table) => {
  writeMeta(core(`${OCCURRENCE} ${attributes}`));
  writeTable(table);
  expect(await readTable()).toEqual({ rows: TWO, faults: [] });
});

test('a table with fewer columns than are described has no valid row', async () => {
  writeMeta(core(OCCURRENCE));
  writeTable('a\nb\n');
  expect(await readTable()).toEqual({
    rows: [],
    faults: ['1 has 1 values for 2 columns', '2 has 1 values for 2 columns'],
  });
});

test('a default is the value of a term without a column, and of an empty cell', async () => {
  const [id] = FIELDS.split('<field index="1"');
  writeMeta(core(OCCURRENCE, `${id}<field term="${DWC}sex" default="male"/>`));
  writeTable('a\nb\n');
  expect((await readTable()).rows).toEqual([
    ['a', 'male'],
    ['b', 'male'],
  ]);
  writeMeta(core(OCCURRENCE, `${id}<field index="1" term="${DWC}sex" default="male"/>`));
  writeTable('a,female\nb,\n');
  expect((await readTable()).rows).toEqual([
    ['a', 'female'],
    ['b', 'male'],
  ]);
});

test('a line that cannot be read costs that line alone', async () => {
  writeMeta(core(OCCURRENCE));
  writeTable('a,é\nbroken\nb,male\n"c,male\n');
  const { rows, faults } = await readTable();
  expect(rows).toEqual(TWO);
  expect(faults.map((fault) => fault.slice(0, 5))).toEqual(['2 has', '4 has']);
});

test('an archive is read from its folder, its descriptor and a zip', async () => {
  writeMeta(core(OCCURRENCE));
  writeTable('a,é\nb,male\n');
  expect((await readTable(join(folder, 'meta.xml'))).rows).toEqual(TWO);
  const file = join(folder, '..', 'birds.zip');
  for (const [cwd, ...names] of [
    [folder, 'meta.xml', 'occurrence.txt'],
    [join(folder, '..'), 'birds'],
  ]) {
    const { status } = spawnSync('python3', ['-m', 'zipfile', '-c', file, ...names], { cwd });
    expect(status).toBe(0);
    expect((await readTable(file)).rows).toEqual(TWO);
  }
});

/** Packs these files of the folder. */
function zip(...names: string[]): string {
  const file = join(folder, '..', 'birds.zip');
  const code =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED); [z.write(n) for n in sys.argv[2:]]';
  const { status } = spawnSync('python3', ['-c', code, file, ...names], { cwd: folder });
  expect(status).toBe(0);
  return file;
}

const MIB = 1024 * 1024;

test('what unpacks to much more is read in parts, and a descriptor that does is refused', async () => {
  writeMeta(core(OCCURRENCE));
  writeTable('a,é\n');
  truncateSync(join(folder, 'occurrence.txt'), 120 * MIB);
  const before = process.memoryUsage().rss;
  const { rows, faults } = await readTable(zip('meta.xml', 'occurrence.txt'));
  expect(rows).toEqual([['a', 'é']]);
  expect(faults).toEqual([expect.stringContaining('is longer than 262144 characters')]);
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * MIB);

  truncateSync(join(folder, 'meta.xml'), 20 * MIB);
  await expect(readTable(zip('meta.xml'))).rejects.toThrow(/larger than 8388608 bytes/);
}, 60_000);

const eml = (content: string): void =>
  writeFileSync(join(folder, 'eml.xml'), `<eml:eml xmlns:eml="eml://x" ${content}</eml:eml>`);

async function sourceOf(fields = FIELDS): Promise<{ source: string; faults: number }> {
  writeFileSync(
    join(folder, 'meta.xml'),
    `<archive metadata="eml.xml">${core(OCCURRENCE, fields)}</archive>`,
  );
  const files = await openPackage(folder);
  const { source, faults } = await openDarwinCore(files);
  await files.close();
  return { source, faults: faults.length };
}

test('the source is the dataset of the first row, else of the metadata, else the name of the archive', async () => {
  writeTable('a,doi:1\n');
  eml('packageId="0f4b/v1.2">');
  const dataset = FIELDS.replace('sex', 'datasetID');
  expect(await sourceOf(dataset)).toEqual({ source: 'doi:1', faults: 0 });
  expect(await sourceOf()).toEqual({ source: '0f4b', faults: 0 });
  eml('packageId="unclosed>');
  expect(await sourceOf()).toEqual({ source: 'birds', faults: 1 });
});

const BAD: [name: string, () => void, RegExp][] = [
  [
    'an event core',
    () => writeMeta(core(`rowType="${DWC}Event"`)),
    /"Event"; only archives with a core of occurrences/,
  ],
  ['a core without a type', () => writeMeta(core('')), /without a rowType/],
  ['no core', () => writeMeta(''), /names no core/],
  ['two cores', () => writeMeta(core(OCCURRENCE) + core(OCCURRENCE)), /names 2 cores/],
  ['no file', () => writeMeta(`<core ${OCCURRENCE}></core>`), /names no file/],
  ['a missing file', () => writeMeta(core(OCCURRENCE, FIELDS, 'gone.txt')), /gone\.txt is not in/],
  ['a way out', () => writeMeta(core(OCCURRENCE, FIELDS, '../a.txt')), /outside of the package/],
  [
    'an absolute path',
    () => writeMeta(core(OCCURRENCE, FIELDS, '/etc/passwd')),
    /outside of the package/,
  ],
  ['an address', () => writeMeta(core(OCCURRENCE, FIELDS, 'http://x.org/a')), /only files inside/],
  [
    'an encoding',
    () => writeMeta(core(`${OCCURRENCE} encoding="x"`)),
    /encoding "x" of Occurrence is not known/,
  ],
  [
    'a separator',
    () => writeMeta(core(`${OCCURRENCE} fieldsTerminatedBy=""`)),
    /separators of Occurrence/,
  ],
  ['an index', () => writeMeta(core(OCCURRENCE, '<id index="99999"/>')), /the number "99999"/],
  ['another root', () => writeFileSync(join(folder, 'meta.xml'), '<html/>'), /root is <html>/],
  ['no XML', () => writeFileSync(join(folder, 'meta.xml'), '{}'), /no XML/],
  ['an unclosed element', () => writeFileSync(join(folder, 'meta.xml'), '<archive>'), /no XML/],
  [
    'entities that expand',
    () => writeMeta('&b;', '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'),
    /document type/,
  ],
  ['an unknown entity', () => writeMeta('&b;'), /no XML/],
  ['a deep tree', () => writeMeta('<a>'.repeat(100) + '</a>'.repeat(100)), /nested more than 64/],
  ['a wide tree', () => writeMeta('<a/>'.repeat(100_001)), /more than 100000 elements/],
  [
    'a huge descriptor',
    () => {
      writeMeta('');
      truncateSync(join(folder, 'meta.xml'), 9 * 1024 * 1024);
    },
    /larger than 8388608 bytes/,
  ],
];

test.each(BAD)('an archive with %s is refused in one line', async (_name, make, message) => {
  make();
  const refusal: unknown = await openPackage(folder)
    .then(openDarwinCore)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(PackageError);
  expect((refusal as PackageError).message).toMatch(message);
  expect((refusal as PackageError).message).not.toContain('\n');
});
