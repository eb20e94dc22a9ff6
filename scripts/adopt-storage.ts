/** `npm run adopt-storage`: tells the database that its files have moved, or that its secret is another one. */
import { parseArgs } from 'node:util';
import { boot } from '../src/boot/boot';
import { exitWith, useProduction } from '../src/boot/run';
import { usage } from './command/command-line';

const USAGE = `Usage: npm run adopt-storage [-- --secret]

Marks the storage that the environment names (S3_BUCKET, or OMS_DATA_DIR) as that of the
database, after the files were moved there: a service starts only with the storage and the
secret that its database has been used with. It is a start of this release: with SQLite,
stop the service first.

  --secret  the secret, too, is the one of the environment from now on. Signed-in sessions
            of the panel, and what was encrypted with the former one, end`;

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const isSecret = readArguments(process.argv.slice(2));
  try {
    const service = await boot({
      listen: false,
      announce: () => undefined,
      accepted: { storage: 'adopt', ...(isSecret ? { secret: 'adopt' } : {}) },
    });
    await service.close();
    process.stdout.write(
      `The storage is that of the database now${isSecret ? ', and so is the secret' : ''}.\n`,
    );
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(args: string[]): boolean {
  try {
    const { values } = parseArgs({
      args,
      options: {
        secret: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    return values.secret;
  } catch {
    return usage(USAGE, 2);
  }
}
