// @databases sqlite postgres
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, query } from '../helpers/beside';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { uuid } from '../helpers/ids';
import { runScript } from '../helpers/process';
import { DEMO, EXAMPLE, startImport } from '../import/example';

let database: FreshDatabase;

const INDIVIDUAL = uuid(1);
const TAXON = uuid(2);
const OTHER = uuid(3);
/** A row that is not there. */
const NOWHERE = 999_999;

/** A hidden encounter that is of no individual, whose figures would be others without the level. */
const HIDDEN =
  'select max(id) from encounters where taxonomy_id = (select min(taxonomy_id) from encounters)';

beforeAll(async () => {
  database = await freshDatabase();
  for (const folder of [EXAMPLE, join(DEMO, 'serengeti-photos')])
    expect([0, 3]).toContain(await startImport([folder], database.env).ended);
  await execute(
    database,
    `update taxonomies set location_privacy = 'obscured' where id = (select min(taxonomy_id) from encounters);
     insert into taxonomies (document_id, version, scientific_name) values ('${TAXON}', 1, 'Panthera onca');
     insert into individuals (document_id, version) values ('${INDIVIDUAL}', 1), ('${OTHER}', 1);
     update encounters set individual_id = (select id from individuals where document_id = '${INDIVIDUAL}')
       where id in (select id from encounters where id <> (${HIDDEN}) order by id limit 20);
     ${Object.entries({ [TAXON]: 'taxonomy', [INDIVIDUAL]: 'individual', [OTHER]: 'individual' })
       .map(
         ([
           id,
           type,
         ]) => `insert into oms_history (id, type, object, version, at, action, actor_kind, changes)
           values ('${randomUUID()}', '${type}', '${id}', 1, 1, 'create', 'system', '[]');`,
       )
       .join('\n')}`,
  );
  expect(await (await runScript('rebuild', database.env)).ended).toBe(0);
});
afterAll(() => database.drop());

const uploads = (): string => join(database.dataDir, 'public', 'uploads');

interface Checked {
  readonly code: number | NodeJS.Signals;
  /** By kind: what is wrong, what was repaired. */
  readonly counts: Readonly<Record<string, readonly [wrong: number, repaired: number]>>;
  readonly output: string;
}

const check = (...args: string[]): Promise<Checked> => checkBy('check', ...args);

async function checkBy(script: 'check' | 'rebuild', ...args: string[]): Promise<Checked> {
  const run = await runScript(script, database.env, args);
  const code = await run.ended;
  expect(run.errors()).toBe('');
  const lines = [...run.output().matchAll(/^([a-z ]+): (\d+)(?:, (\d+) repaired)?(?::|,|$)/gm)];
  const counts = lines.map(
    ([, kind = '', wrong, repaired]) => [kind, [Number(wrong), Number(repaired ?? 0)]] as const,
  );
  return { code, counts: Object.fromEntries(counts), output: run.output() };
}

const NOTHING = {
  references: [0, 0],
  links: [0, 0],
  history: [0, 0],
  figures: [0, 0],
  levels: [0, 0],
  projections: [0, 0],
  files: [0, 0],
  renditions: [0, 0],
  'orphaned files': [0, 0],
} as const;

/** Statements that no foreign key refuses. */
const unchecked = (sql: string): Promise<void> =>
  execute(
    database,
    testDatabase === 'sqlite'
      ? `pragma foreign_keys = off; ${sql}`
      : `set session_replication_role = replica; ${sql}`,
  );

test('nothing is wrong with what was imported, by the hashes of the originals as well', async () => {
  const { code, counts } = await check('--hash');
  expect([code, counts]).toEqual([0, { ...NOTHING, 'damaged files': [0, 0] }]);
});

describe('after damage of each kind', () => {
  let originals: string[];
  const orphan = randomUUID();
  /** The bytes of the original that is removed. */
  let removed: Buffer;

  beforeAll(async () => {
    await unchecked(
      `update individuals set photo_id_id = ${NOWHERE} where document_id = '${OTHER}';
       insert into encounters_assets_lnk (encounter_id, asset_id) values ((select max(id) from encounters), ${NOWHERE});
       insert into oms_memberships (org, account, role, since) values (${NOWHERE}, ${NOWHERE}, 'member', 0);
       update oms_history set version = 7 where object = (select document_id from encounters order by id limit 1);
       update individuals set encounter_count = 99, public_last_seen = '1999' where document_id = '${INDIVIDUAL}';
       update taxonomies set effective_privacy = 2, kingdom = 12345 where document_id = '${TAXON}';
       delete from oms_counted_encounters where encounter = (select min(encounter) from oms_counted_encounters);
       update oms_generalized set level = 2 where encounter = (select min(encounter) from oms_generalized);
       delete from oms_generalized where encounter = (${HIDDEN});
       insert into oms_generalized (encounter, document_id, approved, level)
         values (${NOWHERE}, '${randomUUID()}', ${testDatabase === 'sqlite' ? '0' : 'false'}, 1);
       update assets set level = 'private' where id = (select min(id) from assets);
       update oms_search_encounters set latitude = 1.23 where id = (select min(id) from oms_search_encounters);
       delete from oms_search_encounters where id = (select max(id) from oms_search_encounters);
       delete from oms_search_objects where type = 'individual' and id = (select max(id) from individuals);
       insert into oms_search_objects (type, id, document_id, part) values ('org', ${NOWHERE}, '${randomUUID()}', 0);
       delete from oms_search_names where id = (select max(id) from taxonomies) and type = 'taxonomy'`,
    );
    originals = readdirSync(uploads()).filter((name) => /^[0-9a-f-]{36}$/.test(name));
    const [gone = '', half = '', changed = ''] = originals;
    removed = readFileSync(join(uploads(), gone));
    rmSync(join(uploads(), gone));
    rmSync(join(uploads(), `${half}-small.webp`));
    writeFileSync(join(uploads(), changed), Buffer.alloc(statSync(join(uploads(), changed)).size));
    writeFileSync(join(uploads(), orphan), 'nobody knows');
  });

  const WRONG = {
    references: 1,
    links: 2,
    history: 1,
    // The taxon by its level and by its kingdom, an encounter, and the individual.
    figures: 4,
    // Two encounters, a row of none, a photograph.
    levels: 4,
    // Two encounters, the individual, the taxon, a row of no org.
    projections: 5,
    files: 1,
    renditions: 1,
    'orphaned files': 1,
  } as const;

  test('each is counted and named, and nothing is changed', async () => {
    const { code, counts, output } = await check('--hash');
    const expected = { ...WRONG, 'damaged files': 1 };
    expect([code, counts]).toEqual([
      1,
      Object.fromEntries(Object.entries(expected).map(([kind, wrong]) => [kind, [wrong, 0]])),
    ]);
    expect(output).toMatch(`individual ${OTHER} (photo_id)`);
    expect(output).toMatch(`orphaned files: 1: ${orphan}`);
    expect(output).toMatch('encounter.assets (encounters_assets_lnk');
    expect((await check()).counts).toEqual(
      Object.fromEntries(Object.entries(WRONG).map(([kind, wrong]) => [kind, [wrong, 0]])),
    );
  });

  test('what a rebuild would change is told by itself', async () => {
    const { code, counts, output } = await checkBy('rebuild', '--check');
    const { figures, levels, projections } = WRONG;
    expect([code, counts]).toEqual([
      1,
      { figures: [figures, 0], levels: [levels, 0], projections: [projections, 0] },
    ]);
    expect(output).toMatch(`individual ${INDIVIDUAL}`);
  });

  test('what can be computed is repaired, and what cannot is named', async () => {
    const { code, counts, output } = await check('--fix');
    const left = ['references', 'history', 'files'];
    expect([code, counts]).toEqual([
      1,
      Object.fromEntries(
        Object.entries(WRONG).map(([kind, wrong]) => [
          kind,
          left.includes(kind) ? [wrong, 0] : [expect.any(Number), expect.any(Number)],
        ]),
      ),
    ]);
    expect(output).toMatch('files: copy these originals from a backup');
    const again = await check();
    expect(again.counts).toEqual({
      ...NOTHING,
      ...Object.fromEntries(left.map((kind) => [kind, [1, 0]])),
    });
  });

  test('an orphaned file is left to the service, for an hour', async () => {
    const rows = await query(database, 'select files, due_at from oms_asset_files');
    expect(rows.map(({ files }) => files)).toEqual([orphan]);
    expect(Number(rows[0]?.['due_at'])).toBeGreaterThan(Date.now() + 55 * 60_000);
    expect(readdirSync(uploads())).toContain(orphan);
  });

  test('what was named is put right by hand, and nothing is left', async () => {
    await execute(
      database,
      `update individuals set photo_id_id = null;
       update oms_history set version = 1 where version = 7`,
    );
    writeFileSync(join(uploads(), originals[0] ?? ''), removed);
    const { code, counts } = await check();
    expect([code, counts]).toEqual([0, NOTHING]);
  });
});

test('while something is computed anew by the service, it is not wrong', async () => {
  await execute(
    database,
    `update oms_search_encounters set latitude = 1.23 where id = (select min(id) from oms_search_encounters);
     insert into oms_search_jobs (type, position) values ('encounter', 0)`,
  );
  const { code, counts, output } = await check();
  expect([code, counts]).toEqual([0, NOTHING]);
  expect(output).toMatch('1 differ that the service is computing anew');
});
