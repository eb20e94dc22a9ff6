import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { blankEnvironment } from './environment';
import { runInHost } from './script-hosts';
import { textsOf, type ScriptRun } from './script-run';
import { freePort } from './service';

/** A test has no load balancer that has to notice the end of a service. */
const GIVEN = { SHUTDOWN_GRACE: '0' };

const root = join(__dirname, '..', '..');

/** The built app as a process of its own. */
export interface ServiceProcess extends ScriptRun {
  readonly port: number;
  readonly url: string;
}

/**
 * Runs `dist/scripts/<script>.js` with these variables and none of the machine's, by default at a port that is free. The
 * process may have run another script before (`script-hosts.ts`), unless Node itself is told something.
 *
 * @param app the folder of the app, where it is a copy
 */
export async function runScript(
  script: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  app = root,
): Promise<ServiceProcess> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const run = beginScript(script, { ...GIVEN, PORT: String(port), ...env }, args, app);
  return { ...run, port, url: `http://127.0.0.1:${port}` };
}

/** The same without a port. */
export function beginScript(
  script: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  app = root,
): ScriptRun {
  const whole = { PATH: process.env['PATH'], ...blankEnvironment, ...env };
  if (app === root && env['NODE_OPTIONS'] === undefined) return runInHost(script, args, whole);
  const child = spawn(process.execPath, [join(app, 'dist', 'scripts', `${script}.js`), ...args], {
    cwd: app,
    env: whole,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = textsOf();
  child.stdout.on('data', (chunk: Buffer) => texts.add('output', chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => texts.add('errors', chunk.toString()));
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  return { child, ...texts.read, ended };
}

/** Starts the service and waits until it answers. */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  app = root,
): Promise<ServiceProcess> {
  const service = await runScript('start', env, [], app);
  const started = Date.now();
  while (!(await answers(service.url))) {
    if (service.child.exitCode !== null || Date.now() - started > 150_000) {
      throw new Error(`The service did not start: ${service.errors()}${service.output()}`);
    }
    await sleep(100);
  }
  return service;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/_health`)).ok;
  } catch {
    return false;
  }
}
