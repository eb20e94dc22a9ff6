/** `npm run restore`: restores a backup into an empty place. */
import { parseArgs } from 'node:util';
import { eraseAgain } from '../src/boot/backup/erased';
import { openBackup, restore, verify, type Restored } from '../src/boot/backup/restore';
import { boot } from '../src/boot/boot';
import { readEnvironment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { exitOnSignals, usage } from './command/command-line';

const USAGE = `Usage: npm run restore -- <file> [--verify]

Restores a backup into OMS_DATA_DIR and, where DATABASE_URL is set, into its database: both
have to be empty. Sessions and the links of mails end, mails that were waiting are not sent,
and accounts that are known to be erased since are erased again (by the file
erased-accounts, beside the backup and in OMS_DATA_DIR).

  --verify   reads the whole backup and says whether it is sound; restores nothing`;

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  process.umask(0o077);
  exitOnSignals();
  const { file, isTrial } = readArguments(process.argv.slice(2));
  try {
    const archive = await openBackup(file);
    const { created_at: at, files } = archive.manifest;
    if (isTrial) {
      await verify(archive);
      process.stdout.write(`${file} is sound: of ${at}, with ${files.count} files\n`);
      process.exit(0);
    }
    const environment = readEnvironment();
    const restored = await restore(archive, file, environment);
    archive.close();
    const erased = await eraseIn(environment.dataDir);
    process.stdout.write(`${told(restored, erased).join('\n')}\n`);
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

function readArguments(args: string[]): { readonly file: string; readonly isTrial: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        verify: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const [file, ...rest] = positionals;
    if (file === undefined || file === '' || rest.length > 0) usage(USAGE, 2);
    return { file, isTrial: values.verify };
  } catch {
    usage(USAGE, 2);
  }
}

/** Starts this release on what was restored, which brings it to its migrations, and erases who is to be erased. */
async function eraseIn(dataDir: string): Promise<number> {
  const service = await boot({
    listen: false,
    announce: () => undefined,
    // The files were restored here. The secret may still be given; the next start compares it.
    accepted: { storage: 'adopt', secret: 'ignore' },
  });
  try {
    return await eraseAgain(service.strapi, dataDir);
  } finally {
    await service.close();
  }
}

function told({ manifest, droppedMails }: Restored, erased: number): string[] {
  const { created_at: at, files, parts } = manifest;
  return [
    `Restored the backup of ${at}: ${files.count} files.`,
    'All sessions and links of mails have ended.',
    `${droppedMails} mails were waiting to be sent, and are not sent.`,
    `${erased} accounts that were erased after the backup are erased again.`,
    ...(files.missing > 0 ? [`${files.missing} files were missing when it was made.`] : []),
    ...(parts.secrets ? [] : ['Its secret is not in it: set OMS_SECRET as it was.']),
  ];
}
