import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder that holds package.json. Compiled, this file lies in `<root>/dist/src/boot`, uncompiled (unit
 * tests) in `<root>/src/boot`; the compiler never writes a package.json into `dist` itself.
 */
export const appRoot = findAppRoot(dirname(dirname(__dirname)));

/** The folder of the compiled app. */
export const distRoot = join(appRoot, 'dist');

function findAppRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : dirname(folder);
}
