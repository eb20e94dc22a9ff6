import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens in the background. @throws Error when it has not happened within so many seconds */
export async function until(
  what: string,
  happened: () => boolean | Promise<boolean>,
  seconds = 20,
): Promise<void> {
  for (let tries = 0; tries < 40 * seconds; tries += 1) {
    if (await happened()) return;
    await sleep(25);
  }
  throw new Error(`${what}: not within ${seconds} s`);
}
