/**
 * Installs and starts the built app under another Node: `node .ci/smoke.mjs <major> <result file>`. It happens in
 * a copy in a folder whose name has a space, because the native modules that are installed here are for the Node
 * that installed them. The result has the form of Jest's.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = '24', resultFile] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'oms smoke '));
const app = join(folder, 'app');
// The headers lie here, and compilers are called with their path without quotes.
const prefix = mkdtempSync(join(tmpdir(), 'oms-node-'));
const PORT = '13724';
const base = `http://127.0.0.1:${PORT}`;
const result = { numPassedTests: 0, numFailedTests: 0 };

try {
  const node = installNode();
  copyApp();
  const env = {
    ...process.env,
    PATH: `${join(node, 'bin')}${delimiter}${process.env.PATH}`,
    // Headers lie beside the binary; nothing has to be downloaded to compile.
    npm_config_nodedir: node,
  };
  await check(`npm ci --omit=dev under Node ${major}`, () => {
    const { status } = spawnSync(
      'npm',
      ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'],
      {
        cwd: app,
        env,
        stdio: 'inherit',
      },
    );
    if (status !== 0) throw new Error(`npm ci ended with ${status}`);
  });
  await checkService(join(node, 'bin', 'node'), env);
} catch (error) {
  result.numFailedTests += 1;
  console.error(error);
} finally {
  for (const made of [folder, prefix]) rmSync(made, { recursive: true, force: true });
}
writeFileSync(resultFile ?? '/dev/stdout', JSON.stringify(result));
process.exitCode = result.numFailedTests === 0 ? 0 : 1;

function installNode() {
  const name = `node-linux-${process.arch}`;
  execFileSync('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefix',
    prefix,
    `${name}@${major}`,
  ]);
  return join(prefix, 'node_modules', name);
}

/** What a clone would hold, and the build. */
function copyApp() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of [...listed.split('\0').filter(Boolean), 'dist']) {
    cpSync(join(root, file), join(app, file), { recursive: true, force: true });
  }
}

async function checkService(node, env) {
  const child = spawn(node, ['dist/scripts/start.js'], {
    cwd: app,
    env: {
      ...env,
      PORT,
      OMS_DATA_DIR: join(folder, 'data'),
      DATABASE_CLIENT: '',
      DATABASE_URL: '',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  let running = true;
  void ended.then(() => (running = false));
  const answer = (path, status) => answers(path, status, () => running);
  await check('the service answers', () => answer('/_health', 200));
  await check('the API asks the database, which has no such taxon', () =>
    answer(`/api/v0/taxonomy/${randomUUID()}`, 402),
  );
  await check('SIGTERM ends it with code 0', async () => {
    child.kill('SIGTERM');
    const [code, signal] = await Promise.race([ended, sleep(40_000, ['nothing'])]);
    if (code !== 0) throw new Error(`it ended with ${code ?? signal}`);
  });
  child.kill('SIGKILL');
}

async function answers(path, wanted, running) {
  let last;
  for (const end = Date.now() + 60_000; running() && Date.now() < end; await sleep(250)) {
    try {
      last = (await fetch(base + path)).status;
      if (last === wanted) return;
      break;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${path} answered ${last}, not ${wanted}`);
}

async function check(title, action) {
  try {
    await action();
    result.numPassedTests += 1;
    console.log(`ok      ${title}`);
  } catch (error) {
    result.numFailedTests += 1;
    console.error(`FAILED  ${title}: ${error.message}`);
  }
}
