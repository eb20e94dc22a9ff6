import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { distRoot } from '#app/boot/app-root';
import { bare, thisRelease } from '#app/boot/release';
import { query } from '../../helpers/beside';
import type { Boots } from '../../helpers/boots';
import { emptyDatabase, testDatabase } from '../../helpers/database';
import { runScript } from '../../helpers/process';

const isPostgres = testDatabase === 'postgres';

/** What was said of an upgrade before it, and what it did. */
export interface Upgrade {
  readonly foretold: string;
  /** With PostgreSQL, without a copy. */
  readonly listed: string;
  /** What was there before anything was said, and afterwards. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly done: string;
  /** The tables that the database of the copy was left with. */
  readonly left: readonly unknown[];
}

type Place = Pick<Boots, 'env' | 'dataDir'>;

async function run(place: Place, ...args: string[]): Promise<string> {
  const script = await runScript('migrate', place.env, args);
  expect([await script.ended, script.errors()]).toEqual([0, '']);
  return script.output();
}

/** The line with which it is refused. */
async function refused(place: Place, ...args: string[]): Promise<string> {
  const script = await runScript('migrate', place.env, args);
  expect([await script.ended, script.output()]).toEqual([1, '']);
  return script.errors();
}

/** Rehearses the upgrade of a database that no service uses, and then carries it out. */
export async function upgradeRehearsed(place: Place): Promise<Upgrade> {
  const before = await stateOf(place);
  const listed = isPostgres ? await run(place, '--dry-run') : '';
  const { foretold, left } = await foretell(place);
  const after = await stateOf(place);
  return { foretold, listed, before, after, left, done: await run(place) };
}

async function foretell(place: Place): Promise<Pick<Upgrade, 'foretold' | 'left'>> {
  if (!isPostgres) return { foretold: await run(place, '--dry-run'), left: [] };
  const copy = await emptyDatabase();
  try {
    const foretold = await run(place, '--dry-run', '--in', copy.env['DATABASE_URL'] ?? '');
    const left = await query(copy, `select tablename from pg_tables where schemaname = 'public'`);
    return { foretold, left };
  } finally {
    await copy.drop();
  }
}

/** All files of the data directory, and all tables and rows of PostgreSQL. */
const stateOf = async (place: Place): Promise<string[]> => [
  ...(await filesOf(place.dataDir)),
  ...(isPostgres ? await tablesOf(place) : []),
];

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const lines = paths.map(async (path) => {
    const { mode, mtimeMs } = await stat(path);
    const isFile = (await stat(path)).isFile();
    const hash = isFile
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
    return `${path} ${mode} ${isFile ? mtimeMs : ''} ${hash}`;
  });
  return Promise.all(lines);
}

async function tablesOf(place: Place): Promise<string[]> {
  const columns = await query(
    place,
    `select table_name, string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position) as columns
      from information_schema.columns where table_schema = 'public' group by 1 order by 1`,
  );
  const indexes = await query(place, `select indexdef from pg_indexes order by 1`);
  const text = `md5(string_agg(cast(t as text), ',' order by cast(t as text)))`;
  const hashes = columns.map(
    ({ table_name: name }) =>
      `select '${String(name)}' as name, (select ${text} from "${String(name)}" t) as hash`,
  );
  const rows = await query(place, hashes.join(' union all '));
  return [...columns, ...indexes, ...rows].map((row) => JSON.stringify(row));
}

const namesIn = (output: string): string[] =>
  [...output.matchAll(/^(\d{4}-[a-z0-9-]+): /gm)].map(([, name = '']) => name);

const PENDING = ['0002-deleted-ids', '0004-given-location-privacy', '0050-projections'];

/** One line, and the same as that of a start. */
export async function expectRefused(place: Place, refusal: string): Promise<void> {
  const before = await filesOf(place.dataDir);
  expect(await refused(place, '--dry-run')).toBe(refusal);
  expect(await filesOf(place.dataDir)).toEqual(before);
}

export function testRehearsal(boots: () => Place, upgrade: () => Upgrade): void {
  test('a rehearsal tells each migration with its statements and rows, and changes nothing', () => {
    const { foretold, before, after, left } = upgrade();
    expect(after).toEqual(before);
    expect(left).toEqual([]);
    expect(namesIn(foretold)).toEqual(expect.arrayContaining(PENDING));
    expect(foretold).toMatch(/^ +1 × +[1-9]\d* rows? .*insert into .?oms_deleted_ids/m);
    expect(foretold).toMatch(/^ +1 × {16}.* m?s {2}create table .?oms_projections/m);
    expect(foretold).toMatch(/^Strapi's sync of its tables: /m);
    expect(foretold).toMatch(
      new RegExp(`^${namesIn(foretold).length} migrations are pending`, 'm'),
    );
    expect(foretold).toMatch(
      /^A start of this release took \d+(?:\.\d)? m?s .*\nNothing has been changed\.\n$/m,
    );
    expect(foretold).toMatch(/^What each encounter is searched by is made anew /m);
    // Values may be data of persons.
    expect(foretold).not.toMatch(/Equus|musimon|private'\)/);
  });

  test('an upgrade does what was foretold', () => {
    const { foretold, done } = upgrade();
    expect(namesIn(done)).toEqual(namesIn(foretold));
    const { version, migration } = thisRelease(distRoot);
    expect(done).toMatch(
      new RegExp(
        `^Migrated in .* the database is that of release ${version} \\(${bare(migration)}\\)\\.$`,
        'm',
      ),
    );
  });

  if (isPostgres)
    test('without a copy, PostgreSQL has names listed, with tables and what Strapi changes', () => {
      const { listed, foretold } = upgrade();
      expect(namesIn(listed)).toEqual(namesIn(foretold));
      expect(listed).toMatch(
        /^0004-given-location-privacy: .*\bencounters \((?:about \d+ rows|not counted)\)/m,
      );
      expect(foretold).toMatch(
        /^ {2}stops reads and writes \(ACCESS EXCLUSIVE\): .*\bencounters\b/m,
      );
      expect(foretold).toMatch(/^ {2}stops writes \(SHARE\): /m);
    });

  test('beside a running service, afterwards nothing is pending', async () => {
    const place = boots();
    const output = await run(place, '--dry-run');
    expect(namesIn(output)).toEqual([]);
    expect(output).toMatch(/^Nothing is pending\.$/m);
    if (isPostgres) return;
    expect(await refused(place)).toMatch(/^\S.*db\.sqlite is in use by another process .*\n$/);
  });

  test('what a start refuses is refused in one line', async () => {
    const place = boots();
    const other = {
      ...place,
      env: { ...place.env, OMS_SECRET: 'another one of this length, or longer' },
    };
    expect(await refused(other, '--dry-run')).toMatch(/^OMS_SECRET is not the secret .*\n$/);
    const url = place.env['DATABASE_URL'];
    if (url === undefined) return;
    expect(await refused(place, '--dry-run', '--in', url)).toMatch(
      /^The database of --in is not empty: .*\n$/,
    );
  });
}
