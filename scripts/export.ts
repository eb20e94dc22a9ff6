/** `npm run export`: writes all that a search finds into a file. */
import { createWriteStream, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { boot } from '../src/boot/boot';
import { onSnapshot } from '../src/boot/on-snapshot';
import { exitWith, useProduction } from '../src/boot/run';
import { StartError } from '../src/core/start-error';
import { readWanted } from '../src/endpoints/export/export';
import { prepareExport } from '../src/endpoints/export/write';
import { registryOf } from '../src/plugins/objects/server';
import { usage } from './command/command-line';
import { callerNamed } from './command/accounts';
import { toldPlainly } from './command/refusal';

const USAGE = `Usage: npm run export -- --out <file> [--format <format>] [--type <type>] [--as <caller>]
                            [<parameter>=<value> ...]

Writes all that a search finds into a file.

  --out <file>       where it goes; a file that is there is replaced
  --format <format>  dwca (a Darwin Core archive), camtrap_dp, csv or geojson
  --type <type>      what is exported (encounter)
  --as <caller>      anonymous, moderator, or an account (an address, a user name or an
                     ID): only what this caller may see (moderator)
  <parameter>=...    those of a search: state=approved taxonomy_under=<id>`;

interface Arguments {
  readonly out: string;
  readonly type: string;
  readonly as: string;
  readonly query: ReadonlyMap<string, string>;
}

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const args = readArguments(process.argv.slice(2));
  try {
    const stopped = stopSignal();
    await onSnapshot(() => exportTo(args, stopped));
    process.stdout.write(`${args.out}: ${(await stat(args.out)).size} bytes\n`);
    process.exit(0);
  } catch (error) {
    exitWith(inOneLine(error));
  }
}

/** What the operator has done, or may remove, is told without a stack trace. */
function inOneLine(error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError')
    return new StartError('Stopped; nothing is left of it.');
  return toldPlainly(error);
}

function readArguments(args: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        format: { type: 'string', default: 'dwca' },
        type: { type: 'string', default: 'encounter' },
        as: { type: 'string', default: 'moderator' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const { out, type, as, format } = values;
    if (out === undefined || out === '') usage(USAGE, 2);
    const query = new Map([['format', format]]);
    for (const parameter of positionals) {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(parameter) ?? usage(USAGE, 2);
      query.set(name, value);
    }
    return { out, type, as, query };
  } catch {
    return usage(USAGE, 2);
  }
}

async function exportTo({ out, type, as, query }: Arguments, signal: AbortSignal): Promise<void> {
  const service = await boot({ listen: false, announce: () => undefined });
  try {
    const resource = registryOf(service.strapi).model().find(type)?.resource;
    if (!resource || resource.single !== null) throw new StartError(`There is no type "${type}".`);
    const write = await prepareExport(
      service.strapi,
      await callerNamed(service, as),
      readWanted(resource, { query }),
    );
    const target = createWriteStream(out);
    try {
      await pipeline(await write(), target, { signal });
    } catch (error) {
      rmSync(out, { force: true });
      throw error;
    }
  } finally {
    await service.close();
  }
}

/** Ends the export: the file and the copy of the database are removed. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}
