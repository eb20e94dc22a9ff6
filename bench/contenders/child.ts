/** The contender's side: reports its address, and answers the benchmark until it is stopped. */
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import type { Answer, Passed, Question, Usage } from './talk';

/** A server that runs in this process. */
export interface Running {
  readonly url: string;
  close(): Promise<unknown>;
}

/** Microseconds between two samples of the profile. */
const SAMPLING = 200;

/** Runs a server for the bench. */
export async function serve(start: () => Promise<Running>): Promise<void> {
  try {
    const running = await start();
    process.on('message', (question: Question) => {
      answer(question, running).catch(giveUp);
    });
    // Exits when the benchmark has ended.
    process.on('disconnect', () => process.exit(1));
    say({ listening: running.url });
  } catch (error) {
    giveUp(error);
  }
}

const say = (answer: Answer): void => void process.send?.(answer);

function giveUp(error: unknown): void {
  say({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

const session = new Session();

async function answer(question: Question, running: Running): Promise<void> {
  switch (question) {
    case 'usage':
      return say({ usage: usage() });
    case 'startProfile':
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING });
      await session.post('Profiler.start');
      return say({ profile: null });
    case 'stopProfile': {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return say({ profile: JSON.stringify(profile) });
    }
    case 'startCoverage':
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      return say({ passed: [] });
    case 'stopCoverage': {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      session.disconnect();
      return say({ passed: passedIn(result) });
    }
    case 'stop':
      await running.close();
      process.exit(0);
  }
}

/** Of each script the functions that were called since the coverage began, but for the script as a whole. */
function passedIn(scripts: readonly Profiler.ScriptCoverage[]): Passed[] {
  return scripts.flatMap(({ url, functions }) => {
    const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
    return called.length > 0 ? [{ url, functions: called.length }] : [];
  });
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { rss: process.memoryUsage.rss(), cpu: user + system };
}
