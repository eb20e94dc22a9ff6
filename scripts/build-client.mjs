/**
 * Builds the package `clients/typescript`: its sources as ES modules and as CommonJS, each with types. Written in plain
 * JavaScript, because nothing is compiled before it has run.
 *
 *   --types     makes the types of the OpenAPI document anew, which are committed
 *   --if-stale  does nothing when no source has changed since the last build
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'clients', 'typescript');
const dist = join(home, 'dist');
const stamp = join(dist, '.built');
const flags = new Set(process.argv.slice(2));

/** What CommonJS needs of the compiler, beside the project. */
const COMMON_JS = ['--module', 'CommonJS', '--moduleResolution', 'Node10', '--outDir', 'dist/cjs'];

if (flags.has('--types')) makeTypes();
else if (!flags.has('--if-stale') || !isBuilt()) build();

function makeTypes() {
  const document = join(root, 'docs', 'openapi.json');
  const options = ['-o', join(home, 'src', 'api.ts')];
  run('openapi-typescript/bin/cli.js', [document, ...options]);
}

function build() {
  console.log('Building the client ...');
  rmSync(dist, { recursive: true, force: true });
  run('typescript/bin/tsc', ['-p', '.']);
  run('typescript/bin/tsc', ['-p', '.', ...COMMON_JS]);
  // The package is of ES modules: this folder of it is not.
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(stamp, fingerprint());
}

function run(script, args) {
  const command = [join(root, 'node_modules', script), ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: home, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** Contents rather than times: a checkout makes every file new. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' });
  const names = sources.filter((name) => name.endsWith('.ts')).map((name) => join('src', name));
  for (const name of ['package.json', 'tsconfig.json', ...names.sort()])
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(home, name)))
      .update('\0');
  return hash.digest('hex');
}
