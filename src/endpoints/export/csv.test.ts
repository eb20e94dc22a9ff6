import type { ExportColumn } from './columns';
import { csvHead, csvLines, defused } from './csv';

const columns: ExportColumn[] = ['a', 'b'].map((name) => ({
  name,
  value: (object) => object[name],
}));

test.each([
  ['=1+2', "'=1+2"],
  ['+cmd', "'+cmd"],
  ['-2 below', "'-2 below"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['＝1', "'＝1"],
  ['-2.5', '-2.5'],
  ['+31', '+31'],
  ['a=b', 'a=b'],
])('%j is written as %j', (text, cell) => {
  expect(defused(text)).toBe(cell);
});

test('cells with separators are quoted, lists joined, what is absent is empty', () => {
  expect(csvHead(columns)).toBe('a,b\r\n');
  const objects = [
    { a: 'x, "y"\nz', b: -2.5 },
    { a: ['Ada', 'Bob'], b: null },
    { b: { en: 'zebra' } },
  ];
  expect(csvLines(columns, objects)).toBe(
    '"x, ""y""\nz",-2.5\r\nAda | Bob,\r\n,"{""en"":""zebra""}"\r\n',
  );
});
