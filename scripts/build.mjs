/**
 * Builds the app: `npm run build`. Written in plain JavaScript, because nothing is compiled before it has run.
 *
 *   --server    compiles the server alone (what tests and the import need), not the panel
 *   --if-stale  does nothing when no source has changed since the last build
 *   --check     builds nothing; says whether there is a build to start
 */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const flags = new Set(process.argv.slice(2));

const panelOnly = /^src\/(admin\/|plugins\/[^/]+\/(admin\/|package\.json$))/;

/** The two halves of a build: what proves that it is there, where its fingerprint is kept, what it is made from. */
const server = {
  result: join(dist, 'scripts', 'start.js'),
  stamp: join(dist, '.server'),
  madeFrom: (file) => !panelOnly.test(file),
};
const panel = {
  result: join(dist, 'build', 'index.html'),
  stamp: join(dist, '.panel'),
  madeFrom: (file) =>
    panelOnly.test(file) ||
    /^(package|config\/|src\/plugins\/([^/]+\/shared\/|objects\/server\/site\.ts$))/.test(file),
};

const sources = [
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'bench',
  'config',
  'database',
  'public',
  'scripts',
  'src',
  'types',
];

if (flags.has('--check')) check();
else if (!flags.has('--server') && isStale(panel)) await buildAll();
else if (isStale(server)) buildServer();

function check() {
  if (existsSync(server.result) && existsSync(panel.result)) return;
  console.error('The app is not built yet; run "npm run build" first.');
  process.exit(1);
}

function buildServer() {
  console.log('Compiling the server ...');
  clean(server);
  run('typescript/bin/tsc', ['-p', 'tsconfig.json']);
  finish(server);
}

/** Strapi's build compiles the server too. */
async function buildAll() {
  console.log('Building the server and the panel ...');
  clean(server);
  clean(panel);
  // The configuration is read for a build as for a start, and that must leave nothing in the operator's folder.
  const dataDir = mkdtempSync(join(tmpdir(), 'oms-build-'));
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  run('@strapi/strapi/bin/strapi.js', ['build', '--silent'], {
    NODE_ENV: 'production',
    OMS_DATA_DIR: dataDir,
    DATABASE_CLIENT: 'sqlite',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    LOG_LEVEL: 'error',
  });
  await compressPanel();
  finish(server);
  finish(panel);
}

/**
 * Strapi hands out `x.js.br` or `x.js.gz` in place of `x.js` where there is one and the browser takes it. Not of the
 * page itself, which it would let browsers keep for ever then. Zlib works on threads of its own, four at a time.
 */
async function compressPanel() {
  const folder = join(dist, 'build');
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const files = readdirSync(folder).filter((name) => /\.(js|css|json|svg|ttf|map)$/.test(name));
  await Promise.all(
    files.map(async (name) => {
      const file = join(folder, name);
      const bytes = await readFile(file);
      if (bytes.length < 1024) return;
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, quality));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes));
    }),
  );
}

function isStale(part) {
  if (!flags.has('--if-stale') || !existsSync(part.result) || !existsSync(part.stamp)) return true;
  return readFileSync(part.stamp, 'utf8') !== fingerprint(part);
}

/** A compiled file whose source is gone would still be loaded by Strapi; so nothing old stays. */
function clean(part) {
  rmSync(part.stamp, { force: true });
  if (part === panel || !existsSync(dist)) return;
  for (const name of readdirSync(dist)) {
    if (name !== 'build' && name !== '.panel')
      rmSync(join(dist, name), { recursive: true, force: true });
  }
}

function finish(part) {
  if (!existsSync(part.result)) process.exit(1);
  writeFileSync(part.stamp, fingerprint(part));
}

function run(script, args, env = {}) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Contents rather than times: a checkout or a copy makes every file new. */
function fingerprint(part) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap(filesOf)) {
    if (part.madeFrom(file) && !/\.test\.tsx?$/.test(file)) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

/** Paths below the root, in an order that is the same everywhere. */
function filesOf(path) {
  if (!existsSync(join(root, path))) return [];
  if (/^[^/]+\.json$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesOf(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
    );
}
