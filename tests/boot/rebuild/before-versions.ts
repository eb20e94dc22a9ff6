import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, query } from '../../helpers/beside';
import { testDatabase, type FreshDatabase } from '../../helpers/database';

const TABLE = 'oms_search_encounters';

/** The table as the last release without versions had it, whose migrations made it. */
const MADE = readFileSync(
  join(__dirname, '..', '..', 'fixtures', 'search-before-versions', `${testDatabase}.sql`),
  'utf8',
);

/** Puts a table of that release in the place of the present one, with the same rows. */
async function before(database: FreshDatabase): Promise<void> {
  const names = (await columns(database)).join();
  const isSqlite = testDatabase === 'sqlite';
  const [words, refilled] = isSqlite
    ? [
        `drop table ${TABLE}_terms; drop table ${TABLE}_words; drop view ${TABLE}_texts;`,
        `insert into ${TABLE}_words (${TABLE}_words) values ('rebuild');`,
      ]
    : ['', ''];
  await execute(
    database,
    `create table rows_before as select * from ${TABLE};
     ${words}
     drop table ${TABLE};
     ${MADE}
     insert into ${TABLE} (${names}) select ${names} from rows_before;
     ${refilled}
     drop table rows_before;
     drop table oms_projections;
     delete from strapi_migrations where name like '0050-%'`,
  );
}

const columns = async (database: FreshDatabase): Promise<string[]> =>
  (
    await query(
      database,
      testDatabase === 'sqlite'
        ? `select name from pragma_table_info('${TABLE}')`
        : `select column_name as name from information_schema.columns where table_name = '${TABLE}'`,
    )
  ).map(({ name }) => String(name));

const versions = async (database: FreshDatabase): Promise<unknown[]> =>
  query(database, 'select state, table_name from oms_projections order by number');

/** @param rebuild what is said of each table by how many rows it has changed */
export function testBeforeVersions(
  database: () => FreshDatabase,
  rebuild: () => Promise<Readonly<Record<string, number>>>,
): void {
  const count = async (table: string): Promise<unknown> =>
    (await query(database(), `select count(*) as n from ${table}`))[0]?.['n'];

  test('a table of before there were versions with other columns gives way to one that is filled', async () => {
    const rows = await count(TABLE);
    await before(database());
    await execute(database(), `alter table ${TABLE} add column further text`);
    await rebuild();
    expect(await versions(database())).toEqual([{ state: 'active', table_name: TABLE }]);
    expect(await count(TABLE)).toEqual(rows);
    expect(await columns(database())).not.toContain('further');
  });

  test('the table of the last release without versions is read until one with another index is filled', async () => {
    const rows = await count(TABLE);
    await before(database());
    const changed = await rebuild();
    const [[table = ''] = []] = Object.entries(changed).filter(([name]) => name.startsWith(TABLE));
    expect(table).toMatch(/^oms_search_encounters_[0-9a-f]{8}$/);
    expect(await versions(database())).toEqual([
      {
        state: 'retired',
        table_name: expect.stringMatching(/^oms_search_encounters(_b\d+)?$/) as unknown,
      },
      { state: 'active', table_name: table },
    ]);
    expect(await count(table)).toEqual(rows);
  });
}
