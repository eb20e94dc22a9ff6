import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appRoot } from '../src/boot/app-root';

/** Actions that close what has been opened, in reverse order. */
export interface Cleanup {
  add(action: () => Promise<void>): void;
  /** Runs all actions, even if some of them fail. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const actions: (() => Promise<void>)[] = [];
  return {
    add: (action) => void actions.push(action),
    async run() {
      for (const action of actions.splice(0).reverse()) {
        try {
          await action();
        } catch (error) {
          process.stderr.write(`cleaning up: ${String(error)}\n`);
        }
      }
    },
  };
}

/** On the disk of the data directory, because the folder for temporary files may be in memory. */
export const BENCH_HOME = join(appRoot, '.data', 'bench');

/** Makes a folder for one run, which the cleanup deletes. @param name the beginning of its name */
export function folderOfRun(name: string, cleanup: Cleanup): string {
  mkdirSync(BENCH_HOME, { recursive: true });
  const folder = mkdtempSync(join(BENCH_HOME, `${name}-`));
  cleanup.add(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  return folder;
}
