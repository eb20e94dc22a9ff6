/** `npm run check`: compares what an installation has stored with what should be there. */
import { parseArgs } from 'node:util';
import { boot, type Service } from '../src/boot/boot';
import { fileReaderOf } from '../src/boot/backup/stored-files';
import { openBeside, type DatabaseBeside } from '../src/boot/beside';
import { check, isWell, linesOf } from '../src/boot/check/check';
import { declaredTypes, expectThisRelease, modelBeside } from '../src/boot/check/declared';
import { fileProbes } from '../src/boot/check/files';
import { historyProbes } from '../src/boot/check/history';
import { keptProbes, type Declared } from '../src/boot/check/kept';
import type { Probe } from '../src/boot/check/probe';
import { referenceProbes } from '../src/boot/check/references';
import { repairsOf, type Repairs } from '../src/boot/check/repairs';
import { readEnvironment, type Environment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { registryOf } from '../src/plugins/objects/server';
import { usage } from './command/command-line';

const USAGE = `Usage: npm run check [-- --fix] [--hash]

Counts, of each kind, what is not as it should be, and names three of them: references to what is not there, rows of
lists, gaps in histories, figures, levels of privacy, what searches use, files and renditions. 0 of all: exit code 0;
otherwise 1. It reads beside a running service.

  --fix   computes again what can be, and removes rows of lists that lead nowhere. With SQLite the service must not be
          running; with PostgreSQL it may
  --hash  reads each original, and compares it with its SHA-256`;

interface Options {
  readonly isFixing: boolean;
  readonly byHash: boolean;
}

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const options = readArguments();
  try {
    const environment = readEnvironment();
    const beside = await openBeside(environment.database);
    await expectThisRelease(beside);
    const code = await (options.isFixing ? fixing : looking)(environment, beside, options);
    await beside.close();
    process.exit(code);
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(): Options {
  try {
    const { values } = parseArgs({
      options: {
        fix: { type: 'boolean', default: false },
        hash: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    return { isFixing: values.fix, byHash: values.hash };
  } catch {
    usage(USAGE, 2);
  }
}

async function looking(
  environment: Environment,
  beside: DatabaseBeside,
  options: Options,
): Promise<number> {
  const declared = await modelBeside(await declaredTypes(), beside, environment.database);
  return run(environment, { declared, beside, repairs: null }, options);
}

async function fixing(
  environment: Environment,
  beside: DatabaseBeside,
  options: Options,
): Promise<number> {
  const service: Service = await boot({ listen: false, announce: () => undefined });
  try {
    const repairs = await repairsOf(service.strapi);
    const registry = registryOf(service.strapi);
    const declared = { model: registry.model(), refresh: () => registry.site().refresh() };
    return await run(environment, { declared, beside, repairs }, options);
  } finally {
    await service.close();
  }
}

interface Parts {
  readonly declared: Declared;
  readonly beside: DatabaseBeside;
  readonly repairs: Repairs | null;
}

async function run(
  environment: Environment,
  { declared, beside, repairs }: Parts,
  { isFixing, byHash }: Options,
): Promise<number> {
  const { resources, database } = declared.model;
  const { dialect } = database;
  const reader = await fileReaderOf(environment);
  const probes: Probe[] = [
    ...referenceProbes({ resources, beside, dialect }, repairs?.remove ?? null),
    ...historyProbes(resources, beside, dialect),
    ...keptProbes(declared, beside, repairs?.write ?? null),
    ...fileProbes({ beside, dialect, reader, repair: repairs?.files ?? null }, byHash),
  ];
  const report = await check(probes, beside);
  process.stdout.write(`${linesOf(report, isFixing).join('\n')}\n`);
  return isWell(report) ? 0 : 1;
}
