import { anyOf, ALWAYS, bind, join, literal, NEVER, raw, slot, sql, statementOf } from './sql';

/** A statement as each database is sent it. */
const sent = (statement: ReturnType<typeof bind>): unknown[] => [
  statement.sql.sqlite,
  statement.sql.postgres,
  statement.values,
];

describe('a fragment', () => {
  test('has parameters in the order in which they stand, however deep they are nested', () => {
    const inner = sql`b = ${2} or ${sql`c = ${'three'}`}`;
    expect(sent(statementOf(sql`${1} and (${inner}) and ${null}`))).toEqual([
      '? and (b = ? or c = ?) and ?',
      '$1 and (b = $2 or c = $3) and $4',
      [1, 2, 'three', null],
    ]);
  });

  test('is numbered anew wherever it is nested', () => {
    const same = sql`x = ${7}`;
    expect(statementOf(sql`${same} or ${same}`).sql.postgres).toBe('x = $1 or x = $2');
    expect(same.postgres).toBe('x = $1');
  });

  test('is never looked into for parameters', () => {
    const text = sql`${literal('? $1 $2')} = ${'$1 ?'}`;
    expect(sent(statementOf(text))).toEqual(["'? $1 $2' = ?", "'? $1 $2' = $1", ['$1 ?']]);
  });

  test('takes a text as a value, and raw text as it is', () => {
    expect(sent(statementOf(sql`select ${raw('name')} from ${'name'}`))).toEqual([
      'select name from ?',
      'select name from $1',
      ['name'],
    ]);
  });
});

test('a literal has its quotes doubled', () => {
  expect(literal("it's ''").sqlite).toBe("'it''s '''''");
});

test('fragments are joined with what stands between them', () => {
  expect(join([]).sqlite).toBe('');
  expect(join([sql`${1}`]).sqlite).toBe('?');
  expect(sent(statementOf(join([sql`${1}`, raw('a'), sql`${2}`], ' | ')))).toEqual([
    '? | a | ?',
    '$1 | a | $2',
    [1, 2],
  ]);
});

test('any of no conditions, or of impossible ones, is impossible', () => {
  expect(anyOf([])).toBe(NEVER);
  expect(anyOf([NEVER, NEVER])).toBe(NEVER);
  expect(anyOf([NEVER, ALWAYS]).sqlite).toBe('(1 = 1)');
  expect(statementOf(sql`a and ${anyOf([raw('b'), raw('c')])}`).sql.sqlite).toBe('a and (b or c)');
});

describe('a slot', () => {
  const compiled = sql`a = ${slot('x')} and b = ${1} and c = ${slot('y')} and d = ${slot('x')}`;

  test('is filled when the statement is run, as often as it stands there', () => {
    expect(bind(compiled, { x: 'X', y: null }).values).toEqual(['X', 1, null, 'X']);
    expect(bind(compiled, { x: 2, y: 3 }).values).toEqual([2, 1, 3, 2]);
  });

  test('that is given no value is a mistake', () => {
    expect(() => bind(compiled, { x: 'X' })).toThrow('no value for the parameter y');
    expect(() => statementOf(compiled)).toThrow('no value for the parameter x');
  });
});
