import { transformSync } from '@swc/core';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '..', '..');

/** A copy of the built app that a test may change. */
export interface AppCopy {
  /** What `startService` takes to boot this copy. */
  readonly options: { readonly appDir: string; readonly distDir: string };
  /** Adds an attribute to a type's schema.json. */
  addAttribute(type: string, name: string, attribute: object): void;
  /** Adds a line to the fields of a type's compiled resource.ts. */
  addLine(type: string, line: string): void;
  /** Adds a field to those that encounters are searched by. */
  addSearched(name: string): void;
  /** Changes the text of a compiled file of the APIs: `encounter/privacy.js`. */
  change(file: string, from: RegExp | string, to: string): void;
  /** Compiles a folder of TypeScript into the folder of the APIs, as the app's build would. */
  addApi(name: string, folder: string): void;
  remove(): void;
}

export function copyApp(): AppCopy {
  const appDir = mkdtempSync(join(tmpdir(), 'oms copy '));
  const distDir = join(appDir, 'dist');
  const panel = join(root, 'dist', 'build');
  cpSync(join(root, 'dist'), distDir, { recursive: true, filter: (path) => path !== panel });
  cpSync(join(root, 'public'), join(appDir, 'public'), { recursive: true });
  cpSync(join(root, 'package.json'), join(appDir, 'package.json'));
  cpSync(join(root, 'src', 'plugins'), join(appDir, 'src', 'plugins'), {
    recursive: true,
    filter: (path) => path.endsWith('package.json') || statSync(path).isDirectory(),
  });
  symlinkSync(join(root, 'node_modules'), join(appDir, 'node_modules'));
  const api = (...path: string[]): string => join(distDir, 'src', 'api', ...path);

  return {
    options: { appDir, distDir },
    addAttribute(type, name, attribute) {
      const file =
        type === 'user'
          ? join(
              distDir,
              'src',
              'extensions',
              'users-permissions',
              'content-types',
              'user',
              'schema.json',
            )
          : api(type, 'content-types', type, 'schema.json');
      const schema = JSON.parse(readFileSync(file, 'utf8')) as { attributes: object };
      schema.attributes = { ...schema.attributes, [name]: attribute };
      writeFileSync(file, JSON.stringify(schema));
    },
    addLine(type, line) {
      const file = api(type, 'resource.js');
      const text = readFileSync(file, 'utf8');
      const changed = text.replace('fields: {\n', (found) => `${found}        ${line}\n`);
      if (changed === text) throw new Error(`${file} has no fields`);
      writeFileSync(file, changed);
    },
    addSearched(name) {
      const file = api('encounter', 'searched.js');
      const text = readFileSync(file, 'utf8');
      const changed = text.replace('fields: [\n', (found) => `${found}        '${name}',\n`);
      if (changed === text) throw new Error(`${file} has no fields`);
      writeFileSync(file, changed);
    },
    change(name, from, to) {
      const file = api(...name.split('/'));
      const text = readFileSync(file, 'utf8');
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`${file} does not have ${String(from)}`);
      writeFileSync(file, changed);
    },
    addApi(name, folder) {
      for (const file of filesOf(folder)) {
        const target = api(name, relative(folder, file)).replace(/\.ts$/, '.js');
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, file.endsWith('.ts') ? compiled(file, distDir) : readFileSync(file));
      }
    },
    remove: () => rmSync(appDir, { recursive: true, force: true }),
  };
}

function filesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesOf(path) : [path];
  });
}

/** The JavaScript of a file, its `#app` being that of the copy. */
function compiled(file: string, distDir: string): string {
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  return code.replaceAll('#app/', `${join(distDir, 'src')}/`);
}
