import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { blankEnvironment } from './environment';
import { freePort } from './service';

/** A test has no load balancer that has to notice the end of a service. */
const GIVEN = { SHUTDOWN_GRACE: '0' };

const root = join(__dirname, '..', '..');

/** The built app as a process of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  output(): string;
  errors(): string;
  /** The lines written since the last call, which are forgotten: a long run writes more than a text can hold. */
  readonly taken: () => string;
  /** The code it ended with, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * Runs `dist/scripts/<script>.js` with these variables and none of the machine's, by default at a port that is free.
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
  const child = spawn(process.execPath, [join(app, 'dist', 'scripts', `${script}.js`), ...args], {
    cwd: app,
    env: { PATH: process.env.PATH, ...blankEnvironment, ...GIVEN, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const url = `http://127.0.0.1:${port}`;
  const taken = (): string => {
    const ends = [output, errors].map((text) => text.lastIndexOf('\n') + 1);
    const lines = output.slice(0, ends[0]) + errors.slice(0, ends[1]);
    [output, errors] = [output.slice(ends[0]), errors.slice(ends[1])];
    return lines;
  };
  return { child, port, url, output: () => output, errors: () => errors, taken, ended };
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
