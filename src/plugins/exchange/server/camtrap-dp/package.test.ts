import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDescriptor } from './descriptor';
import { openPackage } from '../package/open-package';
import type { JsonObject } from '../package/json';
import { REQUIRED_OF_OBSERVATIONS } from './observations';
import { PackageError } from '../package/fault';
import { readTable } from '../package/table';

const EXAMPLE = join(__dirname, '../../../../../database/demo/camtrap-dp-example');

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'oms-package-')), 'example');
  cpSync(EXAMPLE, folder, { recursive: true });
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

/** The IDs of all observations of a package. */
async function observationIds(path: string): Promise<string[]> {
  const files = await openPackage(path);
  try {
    const { observations } = await readDescriptor(files);
    const faults: unknown[] = [];
    const listeners = { onFault: (fault: unknown) => void faults.push(fault) };
    const found: string[] = [];
    for await (const row of readTable(files, observations, REQUIRED_OF_OBSERVATIONS, listeners)) {
      found.push(row.required('observationID'));
    }
    expect(faults).toEqual([]);
    return found;
  } finally {
    await files.close();
  }
}

function describePackage(change: (descriptor: Record<string, unknown>) => unknown): void {
  const file = join(folder, 'datapackage.json');
  const descriptor = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify(change(descriptor) ?? descriptor));
}

/** Changes the resource of the observations. */
function describeObservations(change: JsonObject): void {
  describePackage((descriptor) => ({
    ...descriptor,
    resources: (descriptor.resources as JsonObject[]).map((resource) =>
      resource.name === 'observations' ? { ...resource, ...change } : resource,
    ),
  }));
}

const table = (): string => readFileSync(join(folder, 'observations.csv'), 'utf8');

/** Packs with Python's own module: what people's packages come from is no code of ours. */
function zip(cwd: string, ...names: string[]): string {
  const file = join(folder, '..', 'package.zip');
  const { status, stderr } = spawnSync('python3', ['-m', 'zipfile', '-c', file, ...names], { cwd });
  if (status !== 0) throw new Error(String(stderr));
  return file;
}

describe('a package is read', () => {
  test('from its folder and from its descriptor', async () => {
    expect(await observationIds(folder)).toHaveLength(549);
    expect(await observationIds(join(folder, 'datapackage.json'))).toHaveLength(549);
  });

  test('from a zip, at its top or in a top folder', async () => {
    const names = ['datapackage.json', 'deployments.csv', 'observations.csv', 'media.csv'];
    expect(await observationIds(zip(folder, ...names))).toHaveLength(549);
    expect(await observationIds(zip(join(folder, '..'), 'example'))).toHaveLength(549);
  });

  test('with its table in several files, with a header each or only in the first', async () => {
    const [header, ...rows] = table().trimEnd().split('\n');
    mkdirSync(join(folder, 'parts'));
    const part = (name: string, ...lines: (string | undefined)[]): void =>
      writeFileSync(join(folder, 'parts', name), lines.join('\n'));
    part('1.csv', header, ...rows.slice(0, 100));
    part('2.csv', header, ...rows.slice(100, 200));
    part('3.csv', ...rows.slice(200));
    describeObservations({ path: ['parts/1.csv', './parts/2.csv', 'parts/3.csv'] });
    expect(await observationIds(folder)).toHaveLength(549);
  });

  test('in the dialect and the encoding that it says', async () => {
    const text =
      'observationID;deploymentID;eventStart;eventEnd;observationLevel;observationType\né;;;;;\n';
    writeFileSync(join(folder, 'observations.csv'), Buffer.from(text, 'latin1'));
    describeObservations({ encoding: 'iso-8859-1', dialect: { delimiter: ';' } });
    expect(await observationIds(folder)).toEqual(['é']);
  });

  test('with a byte order mark', async () => {
    writeFileSync(join(folder, 'observations.csv'), `\uFEFF${table()}`);
    expect(await observationIds(folder)).toHaveLength(549);
  });

  test('without a header, where the descriptor names the columns', async () => {
    const [header = '', ...rows] = table().trimEnd().split('\n');
    writeFileSync(join(folder, 'observations.csv'), rows.join('\n'));
    const fields = header
      .trim()
      .split(',')
      .map((name) => ({ name }));
    describeObservations({ dialect: { header: false }, schema: { fields } });
    expect(await observationIds(folder)).toHaveLength(549);
  });
});

test('its name stands in for its ID, and only a license that an encounter can have is taken over', async () => {
  describePackage(({ id: _id, ...descriptor }) => ({
    ...descriptor,
    licenses: [{ scope: 'data', path: 'https://creativecommons.org/licenses/by-nc/4.0/' }],
  }));
  const files = await openPackage(folder);
  expect(await readDescriptor(files)).toMatchObject({
    source: 'camtrap-dp-example-dataset',
    license: 'CC-BY-NC-4.0',
  });
  describePackage((descriptor) => ({
    ...descriptor,
    licenses: [
      { scope: 'media', name: 'CC0-1.0' },
      { scope: 'data', name: 'ODbL-1.0' },
    ],
  }));
  expect(await readDescriptor(files)).toMatchObject({ license: null });
});

describe('a package is refused in one line', () => {
  const WRONG: [string, () => unknown, RegExp][] = [
    [
      'no descriptor',
      () => rmSync(join(folder, 'datapackage.json')),
      /has neither datapackage\.json nor meta\.xml/,
    ],
    [
      'a descriptor that is not JSON',
      () => writeFileSync(join(folder, 'datapackage.json'), '{'),
      /datapackage\.json is not JSON/,
    ],
    [
      'a descriptor that is a list',
      () => writeFileSync(join(folder, 'datapackage.json'), '[]'),
      /is not a JSON object/,
    ],
    [
      'another profile',
      () => describePackage((descriptor) => ({ ...descriptor, profile: 'tabular-data-package' })),
      /is no Camtrap DP: its profile is "tabular-data-package"/,
    ],
    [
      'no profile',
      () => describePackage((descriptor) => ({ ...descriptor, profile: undefined })),
      /is no Camtrap DP: its profile is missing/,
    ],
    [
      'an older version',
      () =>
        describePackage((descriptor) => ({
          ...descriptor,
          profile:
            'https://raw.githubusercontent.com/tdwg/camtrap-dp/0.1.6/camtrap-dp-profile.json',
        })),
      /is Camtrap DP 0\.1\.6; only version 1 can be imported/,
    ],
    [
      'neither id nor name',
      () => describePackage((descriptor) => ({ ...descriptor, id: '', name: undefined })),
      /has neither id nor name/,
    ],
    [
      'no resource of observations',
      () => describePackage((descriptor) => ({ ...descriptor, resources: [] })),
      /it has no resource deployments/,
    ],
    [
      'a file that is not there',
      () => rmSync(join(folder, 'observations.csv')),
      /observations\.csv is not in/,
    ],
    [
      'an empty file',
      () => writeFileSync(join(folder, 'observations.csv'), ''),
      /observations\.csv is empty/,
    ],
    [
      'missing columns',
      () => writeFileSync(join(folder, 'observations.csv'), 'observationID,eventStart\n'),
      /lacks the columns deploymentID, eventEnd, observationLevel, observationType/,
    ],
    [
      'a path out of the package',
      () => describeObservations({ path: 'data/../../secrets.csv' }),
      /is outside of the package/,
    ],
    ['an absolute path', () => describeObservations({ path: '/etc/passwd' }), /is outside of/],
    [
      'a remote path',
      () => describeObservations({ path: ['https://example.org/observations.csv'] }),
      /only files inside the package are read/,
    ],
    [
      'no path',
      () => describeObservations({ path: undefined, data: [] }),
      /has no path to its data/,
    ],
    [
      'an encoding that nobody knows',
      () => describeObservations({ encoding: 'klingon' }),
      /is not known/,
    ],
    [
      'a dialect that is no dialect',
      () => describeObservations({ dialect: { delimiter: '||' } }),
      /dialect\.delimiter of observations is not a single character/,
    ],
    [
      'no header and no columns',
      () => describeObservations({ dialect: { header: false } }),
      /have no header/,
    ],
    [
      'a table that is a link out of it',
      () => {
        renameSync(join(folder, 'observations.csv'), join(folder, '..', 'outside.csv'));
        symlinkSync(join('..', 'outside.csv'), join(folder, 'observations.csv'));
      },
      /observations\.csv of .* is a link that leads out of it/,
    ],
    [
      'a folder that is a link out of it',
      () => {
        mkdirSync(join(folder, '..', 'outside'));
        renameSync(join(folder, 'observations.csv'), join(folder, '..', 'outside', 'table.csv'));
        symlinkSync(join(folder, '..', 'outside'), join(folder, 'tables'));
        describeObservations({ path: 'tables/table.csv' });
      },
      /table\.csv of .* is a link that leads out of it/,
    ],
  ];

  test.each(WRONG)('%s', async (_name, spoil, message) => {
    spoil();
    await expectRefusal(folder, message);
  });

  test('a damaged zip', async () => {
    const file = zip(join(folder, '..'), 'example');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    await expectRefusal(file, /is a damaged zip/);
    // The contents of observations.csv, the last file but for the table of contents.
    const spoiled = Buffer.from(bytes);
    const name = Buffer.from('observations.csv');
    spoiled.fill(0x55, bytes.indexOf(name) + 200, bytes.indexOf(name) + 400);
    writeFileSync(file, spoiled);
    await expectRefusal(file, /observations\.csv is damaged/);
  });

  test('a zip of something else, a file of something else, nothing at all', async () => {
    await expectRefusal(zip(folder, 'media.csv'), /datapackage\.json is not in/);
    writeFileSync(join(folder, 'notes.md'), '# Notes');
    await expectRefusal(join(folder, 'notes.md'), /is no package/);
    await expectRefusal(join(folder, 'nowhere'), /cannot be read \(ENOENT\)/);
  });

  async function expectRefusal(path: string, message: RegExp): Promise<void> {
    const refusal: unknown = await observationIds(path).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PackageError);
    expect((refusal as PackageError).message).toMatch(message);
    expect((refusal as PackageError).message).not.toContain('\n');
  }
});
