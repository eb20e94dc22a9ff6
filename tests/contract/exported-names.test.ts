import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SRC = join(__dirname, '..', '..', 'src');

/** What each type, each role of a file has under the same name, with the same meaning. */
const OF_EACH: ReadonlySet<string> = new Set(['ABOUT', 'default']);

/** The names that a file declares and exports. */
function exportedBy(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  const isExported = (node: ts.Node): boolean =>
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) === true;
  return statements.filter(isExported).flatMap((node) => {
    if (ts.isVariableStatement(node))
      return node.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? name.text : [],
      );
    const { name } = node as ts.DeclarationStatement;
    return name && ts.isIdentifier(name) ? name.text : [];
  });
}

test('every exported name has one meaning', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.ts$/.test(file),
  );
  const places = new Map<string, Set<string>>();
  for (const file of files)
    for (const name of exportedBy(file))
      places.set(name, (places.get(name) ?? new Set()).add(file));
  expect(places.size).toBeGreaterThan(1000);
  const repeated = [...places].filter(([name, { size }]) => size > 1 && !OF_EACH.has(name));
  expect(repeated.map(([name, of]) => [name, ...of])).toEqual([]);
});
