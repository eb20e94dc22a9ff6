/** Makes a backup each day at BACKUP_AT: the service starts `npm run backup` as a process of its own. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JobRuns } from '../../core/job-runs';
import { errorCode, errorText, StartError } from '../../core/start-error';
import type { Database } from '../../plugins/objects/server/database/database';
import type { BackupEnvironment } from '../operating-environment';
import { start, type Running } from './processes';
import { claimBackup, extendClaim } from './record';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds between two looks whether one is due. */
const LOOK = 20_000;

/** How long a claim holds unless it is renewed: after a server that was killed, another one makes the backup. */
const CLAIM = 5 * MINUTE;
const RENEWED = MINUTE;

/** Until it is tried again after a failure. */
const AGAIN = 15 * MINUTE;

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
  readonly database: Pick<Database, 'write'>;
  readonly jobs: JobRuns;
  readonly log: { info(message: string): void; error(message: string): void };
  readonly clock: () => number;
}

export interface Schedule {
  /** Makes one if it is due and no other server makes it; ends with it. */
  look(): Promise<void>;
  /** Ends the one that is being made, of which nothing is left. */
  close(): Promise<void>;
}

export function createSchedule(
  { at, folder, keep }: BackupEnvironment,
  { database, jobs, log, clock }: Given,
): Schedule {
  let running: Running | null = null;
  let looking: Promise<void> | null = null;
  let isClosed = false;

  const make = async (): Promise<void> => {
    // One that is not mounted any more: the backup would be a file of this name.
    expectBackupFolder({ folder });
    const program = join(__dirname, '..', '..', '..', 'scripts', 'backup.js');
    running = start('The backup', [process.execPath, program, folder, '--keep', String(keep)]);
    const { child, ended } = running;
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, 2000)));
    const renewal = setInterval(() => {
      extendClaim(database, clock() + CLAIM).catch(() => undefined);
    }, RENEWED);
    const overdue = setTimeout(() => child.kill(), MOST);
    try {
      await ended;
      log.info(`backup: ${said.trim().replace(/\s*\n\s*/g, ' ')}`);
    } finally {
      clearInterval(renewal);
      clearTimeout(overdue);
      running = null;
    }
  };

  const attempt = async (): Promise<void> => {
    const now = clock();
    if (!(await claimBackup(database, { since: lastDue(at, now), now, until: now + CLAIM })))
      return;
    try {
      await make();
      jobs.ended('backup');
      await extendClaim(database, 0);
    } catch (error) {
      if (isClosed) return extendClaim(database, 0);
      jobs.ended('backup', error);
      log.error(`backup: none was made, and it is tried again in 15 minutes: ${errorText(error)}`);
      await extendClaim(database, clock() + AGAIN);
    }
  };

  const look = (): Promise<void> => {
    if (isClosed) return Promise.resolve();
    return (looking ??= attempt()
      .catch((error: unknown) => {
        jobs.ended('backup', error);
      })
      .finally(() => {
        looking = null;
      }));
  };
  const timer = setInterval(() => void look(), LOOK).unref();
  return {
    look,
    async close() {
      isClosed = true;
      clearInterval(timer);
      running?.child.kill();
      await looking;
    },
  };
}
