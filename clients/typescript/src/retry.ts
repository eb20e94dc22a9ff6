import { clientFailure, isTransient } from './failure.js';

export interface RetryOptions {
  /** How often it is tried in all; by default 5. */
  readonly tries?: number;
  /** Ends the waiting and the request. */
  readonly signal?: AbortSignal;
}

/** Milliseconds before the second try, which double with each further one up to the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

/** Milliseconds to wait after so many failures: what the service says, else longer each time, and never the same for all. */
export const pauseAfter = (failures: number, retryAfter: number | null, random: number): number =>
  Math.max(
    (retryAfter ?? 0) * 1000,
    Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)) * (0.5 + random / 2),
  );

/**
 * Repeats a request that may be sent again, as long as a failure is one that may pass.
 *
 * @throws Failure the last one
 */
export async function persistently<T>(
  work: () => Promise<T>,
  { tries = 5, signal }: RetryOptions = {},
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (failures >= tries || !isTransient(error)) throw error;
      await pause(pauseAfter(failures, error.retryAfter, Math.random()), signal);
    }
  }
}

/** @throws Failure CLIENT_CANCELED */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      reject(clientFailure('CLIENT_CANCELED', {}, signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, milliseconds);
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}
