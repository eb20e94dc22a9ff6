import nodeModule from 'node:module';
import { join } from 'node:path';
import { appRoot } from './app-root';

/** Of Node 22.1 and later: https://nodejs.org/api/module.html#moduleenablecompilecachecachedir */
interface WithCompileCache {
  enableCompileCache?(directory: string): unknown;
}

/**
 * Keeps the compiled code of modules that are loaded from now on for the next start, where Node can. It is written when the
 * process exits, beside the code that it is of: whoever can write there can change that, too. Without the right to write,
 * nothing is kept.
 */
export function keepCompiledCode(): void {
  const directory = join(appRoot, 'node_modules', '.cache', 'compiled-code');
  (nodeModule as WithCompileCache).enableCompileCache?.(directory);
}
