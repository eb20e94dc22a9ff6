/** The folder for files of uploads in progress. Each process has its own, which is removed with the process. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../core/errors';

/** The folder of this process. The folders of processes that have ended are removed. */
export function openIncoming(dataDir: string): string {
  const all = join(dataDir, 'incoming');
  if (existsSync(all))
    for (const name of readdirSync(all))
      if (!isAlive(Number(name))) rmSync(join(all, name), { recursive: true, force: true });
  const own = join(all, String(process.pid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The maximum number of uploads in progress, in total and of one network. Each may have a file of the largest size. */
const MAX_UPLOADS = 40;
const MAX_OF_ONE = 20;

export class Uploads {
  private readonly underWay = new Map<string, number>();
  private count = 0;

  /** Runs an upload. @throws ApiError UNAVAILABLE when there are too many */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const ofOne = this.underWay.get(network) ?? 0;
    if (this.count >= MAX_UPLOADS || ofOne >= MAX_OF_ONE)
      throw fail('UNAVAILABLE', {}, { 'Retry-After': '5' });
    this.count += 1;
    this.underWay.set(network, ofOne + 1);
    try {
      return await work();
    } finally {
      this.count -= 1;
      const left = (this.underWay.get(network) ?? 1) - 1;
      if (left === 0) this.underWay.delete(network);
      else this.underWay.set(network, left);
    }
  }
}
