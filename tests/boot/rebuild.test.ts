// @databases sqlite postgres
import { execute, query } from '../helpers/beside';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { uuid } from '../helpers/ids';
import type { Json } from '../helpers/json';
import { runScript, startProcess } from '../helpers/process';
import { ENCOUNTERS, EXAMPLE, startImport } from '../import/example';
import { testBeforeVersions } from './rebuild/before-versions';
import { testVersions } from './rebuild/versions';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  expect(await startImport([EXAMPLE], database.env).ended).toBe(0);
  await execute(
    database,
    `update taxonomies set location_privacy = 'obscured';
     insert into individuals (document_id, version) values ('${uuid(1)}', 1);
     update encounters set individual_id = (select id from individuals)`,
  );
});
afterAll(() => database.drop());

/** What the script says, by table. */
async function rebuild(): Promise<Readonly<Record<string, number>>> {
  const run = await runScript('rebuild', database.env);
  expect([await run.ended, run.errors()]).toEqual([0, '']);
  const lines = [...run.output().matchAll(/^(\w+): (\d+) rows? changed$/gm)];
  expect(run.output().trim().split('\n')).toHaveLength(lines.length);
  return Object.fromEntries(lines.map(([, table = '', count]) => [table, Number(count)]));
}

/** Among those of the same 16 milliseconds, the key of a row is one by chance. */
const ENCOUNTER_ROWS =
  'select key >> 22 as unit, id, audience, level, time_start, latitude, cell, sex, sort_key, words from oms_search_encounters';
const OBJECT_ROWS = 'select type, id, document_id, part, sort_key, words from oms_search_objects';

const kept = async (): Promise<readonly Json[][]> => [
  await query(database, 'select * from taxonomies order by id'),
  await query(database, 'select * from oms_generalized order by encounter'),
  await query(database, 'select * from individuals order by id'),
  await query(database, `${ENCOUNTER_ROWS} order by id, audience`),
  await query(database, `${OBJECT_ROWS} order by type, id, part`),
  await query(database, 'select * from oms_search_names order by type, id, later, language, key'),
];

test('what has been changed by hand is right again, and it is said how much that was', async () => {
  expect(await rebuild()).toMatchObject({ oms_generalized: ENCOUNTERS, individuals: 1 });
  const right = await kept();
  await execute(
    database,
    `update taxonomies set effective_privacy = 2 where id = (select min(id) from taxonomies);
     update oms_generalized set latitude = 1.23 where encounter = (select min(encounter) from oms_generalized);
     delete from oms_generalized where encounter = (select max(encounter) from oms_generalized);
     update individuals set encounter_count = 99, public_last_seen = '1999';
     update oms_search_encounters set latitude = 1.23 where id = (select min(id) from oms_search_encounters);
     delete from oms_search_encounters where id = (select max(id) from oms_search_encounters);
     delete from oms_search_objects where type = 'individual';
     delete from oms_search_names
       where id = (select id from taxonomies where scientific_name = 'Anas platyrhynchos')`,
  );
  expect(await kept()).not.toEqual(right);
  expect(await rebuild()).toEqual({
    ...{ taxonomies: 1, oms_generalized: 2, individuals: 1 },
    // Two audiences of each of the two encounters; the names of the taxon and their later words.
    ...{ oms_search_encounters: 4, oms_search_objects: 1, oms_search_names: 5 },
    ...{ assets: 0, oms_counted_encounters: 0 },
  });
  expect(await kept()).toEqual(right);
});

if (testDatabase === 'postgres')
  test('a type of which the statistics know nothing is made anew by its rows, and not by reading all of them', async () => {
    await execute(
      database,
      `insert into individuals (document_id, version, names)
         select '00000000-0000-4000-9000-' || lpad(n::text, 12, '0'), 1, '[{"value": "A"}]'
         from generate_series(1, 2500) n;
       insert into taxonomies (document_id, version, scientific_name, effective_privacy)
         select '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 1, 'Genus species' || n, 0
         from generate_series(1, 2500) n;
       delete from oms_search_names;
       select pg_stat_reset()`,
    );
    expect(await rebuild()).toMatchObject({ oms_search_objects: 5000 });
    const READ = `select sum(idx_tup_read)::int as read from pg_stat_user_indexes
      where indexrelname in ('oms_search_names_key_ix', 'oms_search_names_language_ix')`;
    const [row] = await query(database, READ);
    // Of five parts each after the first would read the two rows of each taxon before it: 10,000.
    expect(Number(row?.['read'])).toBeLessThan(1000);
  });

testBeforeVersions(() => database, rebuild);

describe('a projection that is declared otherwise', () =>
  testVersions((...start) => startProcess(...start)));
