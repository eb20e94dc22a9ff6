/** A thread that copies, at each message, what is in the WAL to the database, and answers. It waits for nobody. */
import { parentPort, workerData } from 'node:worker_threads';
import { sqliteDriver } from './sqlite-driver';

const Driver = sqliteDriver();
const handle = new Driver(String(workerData), { fileMustExist: true });

parentPort?.on('message', () => {
  handle.pragma('wal_checkpoint(PASSIVE)');
  parentPort?.postMessage(null);
});
