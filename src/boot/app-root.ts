import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder with package.json. The compiled file is in `<root>/dist/src/boot`, the source (in unit tests) in
 * `<root>/src/boot`; the compiler never writes a package.json into `dist` itself.
 */
export const appRoot = findAppRoot(dirname(dirname(__dirname)));

/** The folder of the compiled app. */
export const distRoot = join(appRoot, 'dist');

function findAppRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : dirname(folder);
}
