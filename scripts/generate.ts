/** `npm run generate`: writes a Camtrap DP package of any size, for tests and measurements. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generatePackage, type PackageOptions } from '../bench/generate/package';
import { appRoot } from '../src/boot/app-root';

const USAGE = `Usage: npm run generate -- --encounters <n> [--out <folder>] [--seed <n>]

Writes a Camtrap DP 1.0 package that is made up.

  --encounters <n>  how many encounters an import makes of it
  --out <folder>    where it goes (.data/generated-<n>)
  --seed <n>        another one makes another package (1)`;

generatePackage(readArguments(process.argv.slice(2)));

function readArguments(args: string[]): PackageOptions {
  try {
    const { values } = parseArgs({
      args,
      options: {
        encounters: { type: 'string' },
        out: { type: 'string' },
        seed: { type: 'string', default: '1' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(process.stdout, 0);
    const encounters = wholeNumber(values.encounters ?? '');
    const folder = values.out ?? join(appRoot, '.data', `generated-${encounters}`);
    return { encounters, folder, seed: wholeNumber(values.seed ?? '') };
  } catch {
    return usage(process.stderr, 2);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(text);
  return Number(text);
}

function usage(stream: NodeJS.WriteStream, code: number): never {
  stream.write(`${USAGE}\n`);
  process.exit(code);
}
