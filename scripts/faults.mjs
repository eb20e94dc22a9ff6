/**
 * `npm run faults`: asks whether the tests would notice. Puts one fault at a time (`tests/faults.json`) into a copy of the
 * app, compiles the one file that has it, and runs the tests named beside it, in which one has to fail. Not in CI: it
 * takes an hour.
 *
 *   --only <text>  those whose name or file contains this
 *
 * Fails for a fault that no test notices and that is not explained, for an explanation of one that is noticed, and for a
 * fault whose text is not in its file exactly once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import ts from 'typescript';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Milliseconds after which tests that do not end count as noticing: the slowest file takes a quarter of it. */
const PATIENCE = 5 * 60_000;
/** The place of a test where none ends in that time. */
const LATE = 'none ends';
const COPIED = [
  'bench',
  'config',
  'database',
  'dist',
  'docs',
  'public',
  'scripts',
  'src',
  'tests',
  'types',
];
const FILES = ['jest.config.js', 'package.json', 'README.md', 'tsconfig.json'];

const { only } = parseArgs({ options: { only: { type: 'string', default: '' } } }).values;
const faults = JSON.parse(readFileSync(join(root, 'tests', 'faults.json'), 'utf8')).filter(
  ({ fault, file }) => `${fault}\n${file}`.includes(only),
);

const app = copyApp();
const template = await makeTemplate();
/** The run under way. */
let running = null;
process.on('exit', () => {
  if (running) end(running);
  rmSync(app, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
for (const fault of faults) faulty(fault);

const sound = await firstFailure({ tests: [...new Set(faults.flatMap(({ tests }) => tests))] });
if (sound) stop(`Without a fault, this fails: ${sound.test}\n${sound.message}`);

const results = [];
for (const fault of faults) {
  const started = Date.now();
  const failure = await withFault(fault, () => firstFailure(fault));
  const seconds = Math.round((Date.now() - started) / 1000);
  results.push({ ...fault, failure });
  console.log(`${stateOf(fault, failure)}  ${seconds} s  ${fault.fault} (${fault.file})`);
  if (failure) console.log(`  ${failure.test}\n  ${firstLine(failure.message)}`);
}
console.log(`\n${table(results)}`);
process.exitCode = results.every(({ failure, explained }) => !failure === Boolean(explained))
  ? 0
  : 1;

/** What is under test and its tests, without the panel. Nothing in it is a link, but the packages. */
function copyApp() {
  const folder = mkdtempSync(join(tmpdir(), 'oms-faults-'));
  const panel = join(root, 'dist', 'build');
  for (const name of [...COPIED, ...FILES])
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => path !== panel,
    });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** The database of a first start, which each run copies: a start takes as long as the tests do. */
async function makeTemplate() {
  const folder = join(app, 'template');
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'silent', OMS_DATA_DIR: folder };
  const child = spawn(process.execPath, [join(app, 'tests', 'helpers', 'first-start.js')], {
    cwd: app,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) stop('The service does not start.');
  return join(folder, 'db.sqlite');
}

/** The source of a file with a fault. */
function faulty({ fault, file, find, replace }) {
  const source = readFileSync(join(root, file), 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1) stop(`The text of "${fault}" is ${times} times in ${file}.`);
  return source.replace(find, () => replace);
}

/** The unit tests load the source, those of the service what is compiled. */
async function withFault(fault, run) {
  const source = join(app, fault.file);
  const compiled = join(app, 'dist', fault.file.replace(/\.ts$/, '.js'));
  const sound = [source, compiled].map((path) => [path, readFileSync(path)]);
  const text = faulty(fault);
  writeFileSync(source, text);
  writeFileSync(
    compiled,
    ts.transpileModule(text, { compilerOptions: compilerOptions() }).outputText,
  );
  try {
    return await run();
  } finally {
    for (const [path, bytes] of sound) writeFileSync(path, bytes);
  }
}

/** Those of the build. */
function compilerOptions() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
}

/**
 * @param fault its tests, and where a file is long, a pattern of the titles of those that are run (`titles`)
 * @returns null when all tests pass
 */
async function firstFailure({ tests, titles }) {
  const jest = join(app, 'node_modules', 'jest', 'bin', 'jest.js');
  const reporter = `--reporters=${join(app, 'tests', 'helpers', 'first-failure.js')}`;
  const named = titles ? [`--testNamePattern=${titles}`] : [];
  const projects = ['--selectProjects', 'unit', 'service'];
  const cache = `--cacheDirectory=${join(app, '.jest')}`;
  const temporary = mkdtempSync(join(app, 'of-'));
  const child = spawn(
    process.execPath,
    [jest, '--runInBand', ...tests, reporter, cache, ...named, ...projects],
    {
      cwd: app,
      env: { ...process.env, TMPDIR: temporary, OMS_TEST_TEMPLATE: template },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  running = child;
  let isOver = false;
  const patience = setTimeout(() => {
    isOver = true;
    end(child);
  }, PATIENCE * tests.length);
  const [[code], told, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  clearTimeout(patience);
  // Decoders and template of a run that ended at once.
  end(child);
  rmSync(temporary, { recursive: true, force: true });
  if (isOver) return { test: LATE, message: '' };
  if (code === 0) return null;
  const line = told.split('\n').find((one) => one.startsWith('{"test"'));
  return line ? JSON.parse(line) : { test: 'no test can begin', message: errors };
}

/** Ends a run with all that it has started. */
function end({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** Whether tests only did not end in time: they may be slow for another reason, and this is worth a second look. */
function isLate({ test, message }) {
  return test === LATE || message.includes('Exceeded timeout of');
}

function stateOf({ explained }, failure) {
  if (failure) return explained ? 'NOTICED' : isLate(failure) ? 'late' : 'noticed';
  return explained ? 'explained' : 'SURVIVED';
}

/** Of a message of Jest, without its colors. */
function firstLine(message) {
  const plain = stripVTControlCharacters(message);
  return (plain.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 200);
}

/** For each file, the number of its faults and of those that a test notices; and all that none does. */
function table(all) {
  const files = [...new Set(all.map(({ file }) => file))];
  const counted = files.map((file) => {
    const some = all.filter((one) => one.file === file);
    return `| \`${file}\` | ${some.length} | ${some.filter(({ failure }) => failure).length} |`;
  });
  const survivors = all.filter(({ failure }) => !failure);
  const late = all.filter(({ failure }) => failure && isLate(failure));
  return [
    '| file | faults | noticed |',
    '| --- | --- | --- |',
    ...counted,
    `| all | ${all.length} | ${all.length - survivors.length} |`,
    ...survivors.map(
      ({ fault, file, explained }) => `\n${fault} (${file}): ${explained ?? 'SURVIVED'}`,
    ),
    ...late.map(({ fault, file }) => `\n${fault} (${file}): noticed, but only by the time it took`),
  ].join('\n');
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
