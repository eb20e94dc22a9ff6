import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HOME, readmeProgram, withinPackage } from '../helpers/client/readme';

/** The package `clients/typescript` as it is published. */
const ROOT = join(__dirname, '..', '..');

/** Runs a script of a package with Node. @returns what it wrote, when it succeeds */
const run = (script: string, args: readonly string[], cwd = HOME): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = join(ROOT, 'node_modules', script);
    execFile(process.execPath, [path, ...args], { cwd }, (error, stdout, stderr) =>
      error ? reject(new Error(stdout + stderr)) : resolve(stdout),
    );
  });

test('its types are those of docs/openapi.json: `npm run docs` has been run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oms-types-'));
  const made = join(folder, 'api.ts');
  await run('openapi-typescript/bin/cli.js', [join(ROOT, 'docs', 'openapi.json'), '-o', made]);
  const [committed, expected] = await Promise.all([
    readFile(join(HOME, 'src', 'api.ts'), 'utf8'),
    readFile(made, 'utf8'),
  ]);
  await rm(folder, { recursive: true });
  // Not the texts, which are half a megabyte.
  expect(committed === expected).toBe(true);
});

/** What a frontend's compiler is told. */
const CONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    noEmit: true,
    skipLibCheck: true,
  },
};

test('the program of its README compiles', async () => {
  const files = { 'tsconfig.json': JSON.stringify(CONFIG), 'main.ts': await readmeProgram() };
  const compile = (folder: string): Promise<string> =>
    run('typescript/bin/tsc', ['-p', '.', '--pretty', 'false'], folder);
  expect(await withinPackage(files, compile)).toBe('');
}, 60_000);

/** Bytes of a program in a browser that uses all of what it imports, minified and gzipped. */
async function sizeOf(...names: readonly string[]): Promise<number> {
  const contents = names
    .map((name, at) => `import * as part${at} from './dist/esm/${name}.js'; use(part${at});`)
    .join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: HOME },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

test('it costs a page at most 8 kB, openapi-fetch included, and 6 kB more with the outbox', async () => {
  const core = await sizeOf('index');
  const both = await sizeOf('index', 'outbox/index');
  expect(core).toBeGreaterThan(2000);
  expect(core).toBeLessThanOrEqual(8000);
  expect(both - core).toBeGreaterThan(1000);
  expect(both - core).toBeLessThanOrEqual(6000);
});
