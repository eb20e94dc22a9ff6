import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of the package. */
export const HOME = join(__dirname, '..', '..', '..', 'clients', 'typescript');

/** The TypeScript of the package's README, as one program. */
export async function readmeProgram(): Promise<string> {
  const text = await readFile(join(HOME, 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code).join('\n');
}

/** Runs an action with files in a folder within the package, where its own name leads to it. */
export async function withinPackage<T>(
  files: Readonly<Record<string, string>>,
  action: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(HOME, 'dist', 'readme-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
