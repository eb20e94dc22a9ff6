import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from './json';

const ROOT = join(__dirname, '..', '..');

/** The strict compiler options of a frontend. */
const CONFIG = {
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    strict: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

/** The result of a program. */
export interface Run {
  readonly code: number;
  /** What it has written. */
  readonly text: string;
}

/** A folder outside the project, as a client has one: `openapi.json`, and what is made of it. */
export interface ClientFolder {
  write(name: string, text: string): Promise<void>;
  /** Runs a script of the folder, or of a package below `node_modules`. */
  run(
    script: string,
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Run>;
  remove(): Promise<void>;
}

export async function openClientFolder(document: Json): Promise<ClientFolder> {
  const cwd = await mkdtemp(join(tmpdir(), 'oms-client-'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text);
  await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  await write('package.json', JSON.stringify({ type: 'module' }));
  await write('tsconfig.json', JSON.stringify(CONFIG));
  await write('openapi.json', JSON.stringify(document));
  return {
    write,
    run: (script, args = [], env = {}) =>
      new Promise((resolve) => {
        const options = { cwd, env: { ...process.env, ...env } };
        execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, text: stdout + stderr }),
        );
      }),
    remove: () => rm(cwd, { recursive: true }),
  };
}

/** The TypeScript of a page of the documentation, as one program. @param page in `docs` */
export async function programOf(page: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code).join('');
}
