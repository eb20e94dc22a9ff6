/** Has the service keep the files that nothing uses any more, while a backup reads them. */
import { randomUUID } from 'node:crypto';
import { errorText, StartError } from '../../core/start-error';
import { runBeside } from '../database';
import type { DatabaseEnvironment } from '../environment';

/** Milliseconds that a pause lasts unless it is renewed: after a backup that was killed, files are removed again. */
const LASTS = 10 * 60_000;
const RENEWED = 60_000;

export interface Pause {
  /** @throws StartError when it has not lasted until now */
  check(): void;
  end(): Promise<void>;
}

const NONE: Pause = { check: () => undefined, end: () => Promise.resolve() };

/** @throws StartError when the database cannot be written */
export async function pauseSweep(database: DatabaseEnvironment): Promise<Pause> {
  const name = `backup-${randomUUID()}`;
  let until = 0;
  const renew = async (): Promise<void> => {
    const next = Date.now() + LASTS;
    await runBeside(
      database,
      `insert into oms_pauses (name, until) values ('${name}', ${next})
        on conflict (name) do update set until = ${next}`,
    );
    until = next;
  };
  try {
    await renew();
  } catch (error) {
    // A release that is older than this code removes no file of which it does not say so.
    if (errorText(error).includes('oms_pauses')) return NONE;
    throw error;
  }
  // No job: the pause is of the process that reads the files. Where it fails once, it is tried again before the pause is over.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEWED).unref();
  return {
    check() {
      if (Date.now() < until) return;
      throw new StartError(
        'The database could not be written for ten minutes: files may be missing, and the backup is given up.',
      );
    },
    async end() {
      clearInterval(timer);
      await runBeside(database, `delete from oms_pauses where name = '${name}'`);
    },
  };
}
