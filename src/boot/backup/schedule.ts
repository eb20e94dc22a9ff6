/** The job of backups, each day at BACKUP_AT: it starts `npm run backup` as a process of its own. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, StartError } from '../../core/start-error';
import type { Database } from '../../plugins/objects/server/database/database';
import type { Job, JobRun } from '../../plugins/objects/server/jobs/job';
import type { BackupEnvironment } from '../operating-environment';
import { start } from './processes';
import { lastBackup } from './record';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** One that takes longer is ended. */
const MOST = 12 * 60 * MINUTE;

/** The last time at which a backup was due, at or before this one. @param at minutes after midnight, UTC */
export function lastDue(at: number, now: number): number {
  const today = Math.floor(now / DAY) * DAY + at * MINUTE;
  return today <= now ? today : today - DAY;
}

/** @throws StartError for a folder that is not there, or cannot be written */
export function expectBackupFolder({ folder }: Pick<BackupEnvironment, 'folder'>): void {
  try {
    if (!statSync(folder).isDirectory())
      throw new StartError(`BACKUP_DIR="${folder}" is no folder.`);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `BACKUP_DIR="${folder}" cannot be written (${errorCode(error)}); give a folder that this user may write.`,
    );
  }
}

interface Given {
  readonly database: Pick<Database, 'read'>;
  readonly log: { info(message: string): void };
  readonly clock: () => number;
}

/** The job that makes a backup each day, unless one was made since it was due. */
export const backupJob = (
  environment: BackupEnvironment,
  { database, log, clock }: Given,
): Job => ({
  name: 'backup',
  isLeased: true,
  next: (now) => lastDue(environment.at, now) + DAY,
  isDue: async () =>
    (await database.read(lastBackup)).some(([at]) => Number(at) < lastDue(environment.at, clock())),
  async run(run) {
    const said = await make(environment, run);
    if (!run.signal.aborted) log.info(`backup: ${said}`);
  },
});

/** @returns what the program says; of one that is ended early nothing is left */
async function make({ folder, keep }: BackupEnvironment, { signal }: JobRun): Promise<string> {
  // One that is not mounted any more: the backup would be a file of this name.
  expectBackupFolder({ folder });
  const program = join(__dirname, '..', '..', '..', 'scripts', 'backup.js');
  const command = [process.execPath, program, folder, '--keep', String(keep)] as const;
  const { child, ended } = start('The backup', command);
  const stop = (): void => void child.kill();
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, 2000)));
  const overdue = setTimeout(stop, MOST);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await ended;
    return said.trim().replace(/\s*\n\s*/g, ' ');
  } finally {
    clearTimeout(overdue);
    signal.removeEventListener('abort', stop);
  }
}
