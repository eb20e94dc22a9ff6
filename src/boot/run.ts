import type { Service } from './boot';
import { errorText, StartError } from '../core/start-error';

/** Set before Strapi is loaded: without NODE_ENV it assumes `development`. */
export function useProduction(): void {
  process.env.NODE_ENV ||= 'production';
}

/**
 * Runs a service as a process of its own. SIGTERM and SIGINT drain it and exit with code 0, SIGTERM after the
 * grace of SHUTDOWN_GRACE; a failed start prints one
 * line on the standard error and exits with code 1. Further signals change nothing: `npm` forwards one that the terminal has
 * already sent.
 */
export async function run(start: () => Promise<Service>): Promise<void> {
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
  try {
    const service = await Promise.race([start(), stop]);
    if (typeof service === 'object') {
      // Ctrl+C has no load balancer that has to notice.
      if ((await stop) === 'SIGTERM') await service.leave();
      await service.close();
    }
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

/** Exits with one line; with the stack of an unexpected error only when that is asked for. */
export function exitWith(error: unknown): never {
  const expected = error instanceof StartError;
  process.stderr.write(`${expected ? '' : 'The service failed: '}${errorText(error)}\n`);
  if (!expected && process.env.LOG_LEVEL === 'debug' && error instanceof Error) {
    process.stderr.write(`${error.stack ?? ''}\n`);
  }
  process.exit(1);
}
