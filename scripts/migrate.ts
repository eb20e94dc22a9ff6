/** `npm run migrate`: carries out the migrations of this release, or says what they would do. */
import { parseArgs } from 'node:util';
import { distRoot } from '../src/boot/app-root';
import { readEnvironment, type Environment } from '../src/boot/environment';
import { doneLines, migratedLines, namedLines } from '../src/boot/migrate/lines';
import { readPending } from '../src/boot/migrate/pending';
import { migrate, rehearseOnPostgres, rehearseOnSqlite } from '../src/boot/migrate/rehearsal';
import { expectStart } from '../src/boot/migrate/start-beside';
import { bare, thisRelease } from '../src/boot/release';
import { exitWith, useProduction } from '../src/boot/run';
import { StartError } from '../src/core/start-error';
import { exitOnSignals, usage } from './command/command-line';

const USAGE = `Usage: npm run migrate [-- --dry-run [--in <address of PostgreSQL>]]

Carries out what is pending of the migrations of this release, as a start does, and opens no
port. With SQLite the service must not be running. Servers of an earlier release that share
a PostgreSQL answer no more from then on.

  --dry-run       changes nothing, and says what would be done: with SQLite on a copy of the
                  database, beside the service, with statements, rows and times; with
                  PostgreSQL the names of the migrations, of the tables in them, and of what
                  is made anew in the background
  --in <address>  of a database without tables: with PostgreSQL, the copy is made there, and
                  removed again. Statements, rows, times and locks are told`;

interface Arguments {
  readonly isDryRun: boolean;
  readonly target: string | null;
}

void main();

async function main(): Promise<void> {
  useProduction();
  const { isDryRun, target } = readArguments();
  // Migrations warn of objects by their names: for who carries them out.
  if (isDryRun) process.env.LOG_LEVEL = 'error';
  process.env.LOG_LEVEL ||= 'warn';
  try {
    const environment = readEnvironment();
    const lines = isDryRun ? await rehearsed(environment, target) : await migrated();
    process.stdout.write(`${lines.join('\n')}\n`, () => process.exit(0));
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        in: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const { 'dry-run': isDryRun, in: target } = values;
    if (target !== undefined && (!isDryRun || !/^postgres(ql)?:\/\/\S+$/.test(target)))
      usage(USAGE, 2);
    return { isDryRun, target: target ?? null };
  } catch {
    usage(USAGE, 2);
  }
}

async function migrated(): Promise<string[]> {
  const done = await migrate();
  const { version, migration } = thisRelease(distRoot);
  return doneLines(done, `${version} (${bare(migration)})`);
}

async function rehearsed(environment: Environment, target: string | null): Promise<string[]> {
  const { database } = environment;
  if (target !== null && database.client === 'sqlite')
    throw new StartError('--in is for PostgreSQL: of SQLite, the copy is a file in TMPDIR.');
  await expectStart(environment);
  if (database.client === 'sqlite') {
    exitOnSignals();
    return migratedLines(await rehearseOnSqlite(database));
  }
  if (target !== null) return migratedLines(await rehearseOnPostgres(database.url, target));
  return namedLines(await readPending(database));
}
