import {
  CsvReader,
  DEFAULT_DIALECT,
  MAX_RECORD_LENGTH,
  type CsvRecord,
  type CsvDialect,
} from './csv';

/** Reads a text in chunks of this length. */
function read(
  text: string,
  dialect: Partial<CsvDialect> = {},
  piece = text.length || 1,
): CsvRecord[] {
  const reader = new CsvReader({ ...DEFAULT_DIALECT, ...dialect });
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += piece) {
    records.push(...reader.push(text.slice(at, at + piece)));
  }
  return [...records, ...reader.end()];
}

const cells = (records: CsvRecord[]): (string[] | null)[] => records.map((record) => record.cells);

test('a record is a line, whichever way lines end, and empty lines are none', () => {
  expect(read('a,b\r\n1,2\n\n\r\n3,\n')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2'] },
    { line: 5, cells: ['3', ''] },
  ]);
});

test.each([1, 2, 3, 100])('another end of lines is found in pieces of %d', (piece) => {
  expect(cells(read('a,b##1,#2##3,4##', { terminator: '##' }, piece))).toEqual([
    ['a', 'b'],
    ['1', '#2'],
    ['3', '4'],
  ]);
});

test('without a quote character, quotes are characters', () => {
  expect(cells(read('a"\t"b\n"1\t2"\n', { delimiter: '\t', quote: null }))).toEqual([
    ['a"', '"b'],
    ['"1', '2"'],
  ]);
});

test('the last line need not end', () => {
  expect(cells(read('a,b\n1,"2"'))).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('quotes hold delimiters, quotes and line ends, and the line is that of the record’s beginning', () => {
  expect(read('a,b\n"1,1","say ""hi""\r\nthere"\n2,\n')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1,1', 'say "hi"\r\nthere'] },
    { line: 4, cells: ['2', ''] },
  ]);
});

test('a quote in the middle of an unquoted value is a character', () => {
  expect(cells(read('a,b\n5" tall,x\n'))).toEqual([
    ['a', 'b'],
    ['5" tall', 'x'],
  ]);
});

const BROKEN = [
  ['a quote that is never closed', 'a,b\n1,"x\n2,y\n3,z\n'],
  ['a quote that the next quote closes', 'a,b\n1,"x\n2,"y"\n3,z\n'],
  ['a quote that a later line closes', 'a,b,c\n"1,x,1\n2,5",y\n3,z,2\n'],
  ['a quote inside quotes', 'a,b\n1,"x"y\n2,y\n3,z\n'],
  ['too few values', 'a,b\n1\n2,y\n3,z\n'],
  ['too many values', 'a,b\n1,2,3\n2,y\n3,z\n'],
] as const;

test.each(BROKEN)('%s costs its own line alone', (_name, text) => {
  const records = read(text);
  expect(records.map((record) => record.line)).toEqual([1, 2, 3, 4]);
  expect(records.map((record) => record.cells === null)).toEqual([false, true, false, false]);
});

test('a record that is too long is given up, and memory with it', () => {
  const long = 'x'.repeat(3 * MAX_RECORD_LENGTH);
  for (const value of [long, `"${long}`]) {
    const records = read(`a,b\n1,${value}\n2,y\n`, {}, 65_536);
    expect(records.map((record) => [record.line, record.cells])).toEqual([
      [1, ['a', 'b']],
      [2, null],
      [3, ['2', 'y']],
    ]);
  }
});

test('a dialect has its own delimiter, quotes, escapes, comments and blanks', () => {
  const dialect = {
    delimiter: ';',
    quote: "'",
    escape: '\\',
    comment: '#',
    skipInitialSpace: true,
  };
  expect(read("# a comment\na; b\n'it\\'s; so';  'x'\n", dialect)).toEqual([
    { line: 2, cells: ['a', 'b'] },
    { line: 3, cells: ["it's; so", 'x'] },
  ]);
});

test('what was written is read, wherever the pieces end', () => {
  const alphabet = ['a', '"', ',', '\n', '\r\n', ' ', 'é', ''];
  let state = 1;
  const random = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  for (let round = 0; round < 300; round += 1) {
    const records = Array.from({ length: 1 + random(5) }, () =>
      Array.from({ length: 3 }, () =>
        Array.from({ length: random(5) }, () => alphabet[random(alphabet.length)]).join(''),
      ),
    );
    const text = records
      .map((record) => record.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
      .join('\n');
    expect(cells(read(text, {}, 1 + random(7)))).toEqual(records);
  }
});
