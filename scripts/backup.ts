/** `npm run backup`: backs up an installation, beside the service. */
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { backUp, type Made } from '../src/boot/backup/backup';
import { noteBackup } from '../src/boot/backup/record';
import { backupPlaceOf } from '../src/boot/backup/place';
import { readEnvironment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { exitOnSignals, usage } from './command/command-line';

const USAGE = `Usage: npm run backup -- <file or folder> [--keep <n>]

Backs up the database, the photographs that it names and the secret, beside a running
service, into a zip that this user alone may read. It is whole, or it is not there.

  <file or folder>  a file that is not there yet, or a folder in which the backup gets its
                    time as its name
  --keep <n>        removes the oldest backups of the folder: so many are kept, with this one`;

/** Lower than the service's: what it needs comes first. */
const PRIORITY = 10;

void main();

async function main(): Promise<void> {
  useProduction();
  process.umask(0o077);
  exitOnSignals();
  const { path, keep } = readArguments(process.argv.slice(2));
  try {
    setPriority(PRIORITY);
    const now = new Date();
    const place = backupPlaceOf(path, now);
    const environment = readEnvironment();
    const made = await backUp(environment, place, { keep, now });
    const { size } = await stat(place.file);
    await noteBackup(environment.database, now.getTime(), size);
    process.stdout.write(`${place.file}: ${size} bytes, ${summary(made)}\n`);
    process.stderr.write(warning(made));
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(args: string[]): { readonly path: string; readonly keep: number | null } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { keep: { type: 'string' }, help: { type: 'boolean', default: false } },
    });
    if (values.help) usage(USAGE, 0);
    const [path, ...rest] = positionals;
    const { keep } = values;
    const isNumber = keep === undefined || /^[1-9]\d{0,4}$/.test(keep);
    if (path === undefined || path === '' || rest.length > 0 || !isNumber) usage(USAGE, 2);
    return { path, keep: keep === undefined ? null : Number(keep) };
  } catch {
    usage(USAGE, 2);
  }
}

function summary({ manifest, removed }: Made): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const old = removed.length > 0 ? `; removed ${removed.join(', ')}` : '';
  return `${rows} rows of ${manifest.tables.length} tables, ${manifest.files.count} files${old}`;
}

function warning({ manifest, missing }: Made): string {
  const { missing: count } = manifest.files;
  if (count === 0) return '';
  const more = count > missing.length ? ', ...' : '';
  return `The database names ${count} files that are not in the storage, or not whole, and not in the backup: ${missing.join(', ')}${more}\n`;
}
