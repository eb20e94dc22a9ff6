/** `npm run generate`: writes a package of any size, for tests and measurements. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateArchive } from '../bench/generate/archive';
import { generatePackage, type PackageOptions } from '../bench/generate/package';
import { appRoot } from '../src/boot/app-root';
import { usage } from './command/command-line';

const USAGE = `Usage: npm run generate -- --encounters <n> [--format camtrap-dp|dwca] [--out <folder>]
                              [--seed <n>]

Writes a Camtrap DP 1.0 package, or a Darwin Core archive, that is made up.

  --encounters <n>  how many encounters an import makes of it
  --format <name>   camtrap-dp or dwca (camtrap-dp)
  --out <folder>    where it goes (.data/generated-<n>)
  --seed <n>        another one makes another package (1)`;

const GENERATE = { 'camtrap-dp': generatePackage, dwca: generateArchive } as const;
type Format = keyof typeof GENERATE;

const { format, ...options } = readArguments(process.argv.slice(2));
GENERATE[format](options);

function readArguments(args: string[]): PackageOptions & { readonly format: Format } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        encounters: { type: 'string' },
        format: { type: 'string', default: 'camtrap-dp' },
        out: { type: 'string' },
        seed: { type: 'string', default: '1' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const encounters = wholeNumber(values.encounters ?? '');
    const folder = values.out ?? join(appRoot, '.data', `generated-${encounters}`);
    const seed = wholeNumber(values.seed ?? '');
    return { encounters, folder, seed, format: formatOf(values.format) };
  } catch {
    return usage(USAGE, 2);
  }
}

function formatOf(name: string): Format {
  const format = (Object.keys(GENERATE) as Format[]).find((known) => known === name);
  if (format === undefined) throw new RangeError(name);
  return format;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(text);
  return Number(text);
}
