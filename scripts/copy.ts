/** `npm run copy`: copies a SQLite database into an empty PostgreSQL. */
import { parseArgs } from 'node:util';
import { copyDatabase, type Copied } from '../src/boot/copy/copy';
import { readEnvironment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { StartError } from '../src/core/start-error';
import { usage } from './command/command-line';

const USAGE = `Usage: npm run copy -- --to <address of PostgreSQL>

Copies the SQLite database of this environment into an empty database of PostgreSQL: accounts, objects with their IDs and
versions, history, lists, settings. The service must not be running. All is copied, and compared by the number of rows
and a hash of each table, or nothing. Photographs and secrets stay where they are.

  --to <address>  such as postgres://user:password@host:5432/database`;

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const url = readArguments();
  try {
    const { database } = readEnvironment();
    if (database.client !== 'sqlite')
      throw new StartError(
        'The environment names PostgreSQL, and it is SQLite that is copied: unset DATABASE_CLIENT and DATABASE_URL.',
      );
    if (!/^postgres(ql)?:\/\/\S+$/.test(url))
      throw new StartError(
        '--to is no address such as postgres://user:password@host:5432/database.',
      );
    print(await copyDatabase(database.file, url));
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(): string {
  try {
    const { values } = parseArgs({
      options: { to: { type: 'string' }, help: { type: 'boolean', default: false } },
    });
    if (values.help) usage(USAGE, 0);
    if (values.to === undefined || values.to === '') usage(USAGE, 2);
    return values.to;
  } catch {
    usage(USAGE, 2);
  }
}

function print({ tables, mended }: Copied): void {
  const rows = tables.reduce((sum, [, { rows: count }]) => sum + count, 0);
  const lines = [
    ...tables.map(([name, sum]) => `${name}: ${sum.rows} rows, ${sum.hash}`),
    ...[...mended].map(([name, count]) => `${name}: ${count} rows were not as they are computed`),
    `${rows} rows of ${tables.length} tables are copied. Start the service with DATABASE_CLIENT=postgres, DATABASE_URL and the same OMS_DATA_DIR.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
