import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Compiled: the thread is a file of its own.
import { SqliteApart } from '#app/plugins/objects/server/database/sqlite-apart';
import { sql, statementOf } from '#app/plugins/objects/server/database/sql';
import { ask, tell, type Work } from '#app/plugins/objects/server/database/work';
import { sqliteDriver, type SqliteHandle } from './sqlite-driver';

let folder: string;
let handle: SqliteHandle;
let apart: SqliteApart;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oms-apart-'));
  const file = join(folder, 'db.sqlite');
  const Driver = sqliteDriver();
  handle = new Driver(file);
  handle.pragma('journal_mode = WAL');
  handle.exec('create table counted (n integer primary key)');
  apart = new SqliteApart(file);
});
afterEach(async () => {
  await apart.close();
  handle.close();
  rmSync(folder, { recursive: true });
});

const stored = (): unknown[] => handle.prepare('select n from counted order by n').pluck().all();
const insert = (n: number) => sql`insert into counted values (${n})`;

/** The value of work in a transaction. */
async function transact<T>(work: () => Work<T>): Promise<T | undefined> {
  let value: T | undefined;
  await apart.transact(async (drive) => void (value = await drive(work())));
  return value;
}

test('work has the rows that it asks for, one set for each of several statements', async () => {
  const rows = await transact(function* () {
    yield* tell(insert(1));
    yield* ask(insert(2));
    yield* tell(insert(3));
    const all = sql`select n from counted order by n`;
    const most = sql`select max(n) from counted`;
    return [yield* ask(all), yield { several: [statementOf(most), statementOf(all)] }];
  });
  expect(rows).toEqual([
    [[1], [2], [3]],
    [[[3]], [[1], [2], [3]]],
  ]);
  expect(stored()).toEqual([1, 2, 3]);
});

test('what it is only told is carried out before the commit', async () => {
  await transact(function* () {
    yield* tell(insert(1));
  });
  expect(stored()).toEqual([1]);
});

test('an error of a statement can be treated by the work, and has its code', async () => {
  const code = await transact(function* () {
    yield* ask(insert(1));
    try {
      yield* ask(insert(1));
    } catch (error) {
      return (error as { code: string }).code;
    }
    return null;
  });
  expect(code).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
  expect(stored()).toEqual([1]);
});

test.each([
  ['of a statement', () => ask(insert(1)), { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' }],
  [
    'of a statement that it is told',
    () => tell(insert(1)),
    { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' },
  ],
  [
    'of its own',
    () => {
      throw new RangeError('not this one');
    },
    { message: 'not this one' },
  ],
])('nothing is kept of work that fails by an error %s', async (_, fail, expected) => {
  const failing = transact(function* () {
    yield* ask(insert(1));
    yield* fail();
  });
  await expect(failing).rejects.toMatchObject(expected);
  expect(stored()).toEqual([]);
  await transact(() => ask(insert(2)));
  expect(stored()).toEqual([2]);
});

test('where its thread ends, nothing is kept, and the next transaction has another one', async () => {
  const failing = transact(function* () {
    yield* ask(insert(1));
    void apart.close();
    yield* ask(insert(2));
  });
  await expect(failing).rejects.toThrow('the thread that writes in the background has ended');
  expect(stored()).toEqual([]);
  await transact(() => ask(insert(3)));
  expect(stored()).toEqual([3]);
});
