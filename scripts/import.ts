import { parseArgs } from 'node:util';
import { boot } from '../src/boot/boot';
import { readEnvironment, type Environment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { StartError } from '../src/core/start-error';
import type { ImportService } from '../src/plugins/exchange/server';
import { PackageError } from '../src/plugins/exchange/server/package/fault';
import { progressOn } from '../src/plugins/exchange/server/import/progress';
import { defaultReportFile } from '../src/plugins/exchange/server/import/report';
import { checkPackage, type ImportOptions } from '../src/plugins/exchange/server/import/run';
import { takeSnapshot } from '../src/plugins/exchange/server/import/snapshot';
import type { ImportSummary } from '../src/plugins/exchange/server/import/summary';
import { databaseOf } from '../src/plugins/objects/server';
import { ApiError } from '../src/core/errors';
import { EXIT, exitCode, summaryText } from '../src/plugins/exchange/server/import/summary-text';
import { usage } from './command/command-line';
import { accountNamed } from './command/accounts';

const USAGE = `Usage: npm run import -- <path> [--owner <account>] [--strict] [--dry-run]
                            [--report <file>]

Imports a Camtrap DP 1 package or a Darwin Core archive of occurrences (a folder, its datapackage.json
or meta.xml, a zip or a .tgz), or a table whose headings are terms of Darwin Core.

  --owner <account> the owner of what is imported: an address, a user name or an ID
  --strict         imports nothing if any record is invalid
  --dry-run        keeps nothing; also while the service runs
  --report <file>  where to list the faults: CSV, or JSON with the summary if its name
                   ends in .json`;

/** A second signal within this many milliseconds is ignored. */
const PATIENCE = 1_000;

interface Arguments {
  readonly path: string;
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly report: string | undefined;
  readonly owner: string | undefined;
}

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const args = readArguments(process.argv.slice(2));
  try {
    const environment = readEnvironment();
    await checkPackage(args.path);
    const summary = await importPackage(args, environment);
    process.stdout.write(`${summaryText(summary, args.strict)}\n`);
    process.exit(exitCode(summary, args.strict));
  } catch (error) {
    exitWith(inOneLine(error));
  }
}

/** Errors that the operator can remove get a text; others are thrown as they are. */
function inOneLine(error: unknown): unknown {
  if (error instanceof PackageError) return new StartError(error.message);
  if (error instanceof ApiError && error.key === 'UNAVAILABLE') {
    return new StartError(
      'The database became unavailable. Imported records are kept; start the import again to continue.',
    );
  }
  return error;
}

function readArguments(args: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        strict: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        report: { type: 'string' },
        owner: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const [path, ...more] = positionals;
    if (values.help) usage(USAGE, 0);
    const isEmpty = values.report === '' || values.owner === '';
    if (path === undefined || more.length > 0 || isEmpty) usage(USAGE, EXIT.USAGE);
    const { strict, 'dry-run': dryRun, report, owner } = values;
    return { path, strict, dryRun, report, owner };
  } catch {
    return usage(USAGE, EXIT.USAGE);
  }
}

/** A dry run on SQLite works on a copy, because a service may be writing to the file. */
async function importPackage(args: Arguments, environment: Environment): Promise<ImportSummary> {
  const { database, dataDir } = environment;
  const options: ImportOptions = {
    strict: args.strict,
    dryRun: args.dryRun,
    report: args.report ?? defaultReportFile(dataDir, args.path, new Date()),
    alwaysReport: args.report !== undefined,
    signal: stopSignal(),
    progress: progressOn(process.stderr, Date.now),
  };
  if (!args.dryRun || database.client !== 'sqlite') return bootAndRun(args, options);
  const snapshot = await takeSnapshot(database.file);
  try {
    process.env.OMS_DATA_DIR = snapshot.dataDir;
    return await bootAndRun(args, options);
  } finally {
    snapshot.remove();
  }
}

async function bootAndRun(
  { path, owner }: Arguments,
  options: ImportOptions,
): Promise<ImportSummary> {
  const service = await boot({ listen: false });
  try {
    const database = databaseOf(service.strapi);
    await database.prepareForBulk();
    const imports = service.strapi.plugin('exchange').service<ImportService>('import');
    const account = owner === undefined ? null : await accountNamed(service, owner, '--owner');
    const summary = await imports.run(path, { ...options, owner: account?.id ?? null });
    if (summary.kept && !options.dryRun) await database.maintain();
    return summary;
  } finally {
    await service.close();
  }
}

/**
 * Lets the present batch end. Ctrl+C in a terminal may arrive twice, from the terminal and from npm; a later signal
 * ends the process.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (first > 0 && Date.now() - first > PATIENCE) process.exit(EXIT.STOPPED);
      first ||= Date.now();
      controller.abort();
    });
  }
  return controller.signal;
}
