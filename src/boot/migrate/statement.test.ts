import { ranOf, changedRows, statementText } from './statement';

test.each([
  ['update t set a = $1, b = $2 where id = $3', 'update t set a = ?, b = ? where id = ?'],
  ['delete from t where id in (?, ?, ?)', 'delete from t where id in (?, …)'],
  [
    'insert into t (a, b) values ($1, $2), ($3, $4), ($5, $6)',
    'insert into t (a, b) values (?, …), …',
  ],
  ['update t\n  set key = 123456789012 where id = 7', 'update t set key = ? where id = 7'],
  ['drop table "_knex_temp_alter123"', 'drop table "_knex_temp_alter"'],
])('%j is told as %j', (sql, text) => {
  expect(statementText(sql)).toBe(text);
});

test.each([
  ['insert into t select 1', 'rows'],
  ['with q as (select 1) update t set a = 1', 'rows'],
  ['with q as (select 1) select * from q', 'read'],
  ['create index t_ix on t (a)', 'tables'],
  ['BEGIN;', 'control'],
])('%j is of the kind %j', (sql, kind) => {
  expect(ranOf(sql)).toBe(kind);
});

test.each([
  [{ changes: 3, lastInsertRowid: 1 }, 3],
  [{ command: 'UPDATE', rowCount: 4 }, 4],
  [{ command: 'ALTER', rowCount: null }, 0],
  [
    [
      { command: 'UPDATE', rowCount: 1 },
      { command: 'UPDATE', rowCount: 2 },
    ],
    3,
  ],
  [[{ id: 1 }, { id: 2 }], 2],
])('%j has changed %d rows', (response, rows) => {
  expect(changedRows(response)).toBe(rows);
});
