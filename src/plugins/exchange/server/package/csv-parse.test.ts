import { parse } from 'csv-parse/sync';
import { CsvReader, type CsvRecord } from './csv';

/**
 * The reasons for which the reader and `csv-parse` may differ, written down before they were compared:
 *
 * 1. A record with more cells than the first one is refused; `csv-parse` gives it.
 * 2. A record of one cell, where the first one has more, is refused; `csv-parse` gives it.
 * 3. A quoted record that spans lines and has not as many cells as the first one is refused as one whose quote is wrong,
 *    and reading goes on with its second line; `csv-parse` gives it.
 * 4. A quote that is not closed, or that is followed by other characters, costs at most its line, or is a character;
 *    `csv-parse` gives up the file.
 * 5. A quote in the middle of a cell without quotes is a character; `csv-parse` gives up the file.
 */
const FILES = process.env.OMS_CSV === 'long' ? 100_000 : 500;

const PARTS = ['a', 'b', ' ', '"', '""', '"', ',', ',', ',', '\n', '\r\n', '\n', 'é', '"x"', ',"'];

/** A generator of numbers below a limit, the same for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

function read(text: string, piece: number): CsvRecord[] {
  const reader = new CsvReader();
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += piece)
    records.push(...reader.push(text.slice(at, at + piece)));
  return [...records, ...reader.end()];
}

/** The records of `csv-parse`; null where it gives up. */
function parsed(text: string): { readonly cells: string[]; readonly spans: boolean }[] | null {
  try {
    const records = parse(text, {
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\n', '\r\n'],
    });
    return records.map((cells) => ({ cells, spans: cells.some((cell) => cell.includes('\n')) }));
  } catch {
    return null;
  }
}

test(`${FILES} random files are read as csv-parse reads them, but for five reasons`, () => {
  const seed = Number(process.env.OMS_SEED) || 1 + (Date.now() % 1_000_000);
  const random = randomOf(seed);
  let alike = 0;
  const unexplained: string[] = [];
  for (let file = 0; file < FILES; file += 1) {
    const text = Array.from(
      { length: 1 + random(30) },
      () => PARTS[random(PARTS.length)] ?? '',
    ).join('');
    const records = read(text, 1 + random(9));
    const expected = parsed(text);
    // Reasons 4 and 5.
    if (expected === null) continue;
    const width = expected[0]?.cells.length ?? 0;
    const isWrong = (cells: readonly string[]): boolean =>
      cells.length > width || (cells.length === 1 && width > 1);
    // Reason 3: from such a record on, the two read different lines.
    const end = expected.findIndex(({ cells, spans }) => spans && cells.length !== width);
    const compared = end === -1 ? expected : expected.slice(0, end);
    // Reasons 1 and 2.
    const wanted = compared.map(({ cells }) => (isWrong(cells) ? null : cells));
    const given = records.map(({ cells }) => cells).slice(0, end === -1 ? undefined : end);
    if (JSON.stringify(given) === JSON.stringify(wanted)) alike += 1;
    else unexplained.push(JSON.stringify({ seed, text, given, wanted }));
  }
  expect(unexplained.slice(0, 3)).toEqual([]);
  expect(alike).toBeGreaterThan(FILES / 20);
});
