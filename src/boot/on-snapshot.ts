import { takeSnapshot } from '../plugins/exchange/server/import/snapshot';
import { readEnvironment } from './environment';

/** Runs work that only reads. On SQLite it is given a copy of the database: a service may be writing to it. */
export async function onSnapshot(work: () => Promise<void>): Promise<void> {
  const { database } = readEnvironment();
  if (database.client !== 'sqlite') return work();
  const snapshot = await takeSnapshot(database.file);
  try {
    process.env.OMS_DATA_DIR = snapshot.dataDir;
    await work();
  } finally {
    snapshot.remove();
  }
}
