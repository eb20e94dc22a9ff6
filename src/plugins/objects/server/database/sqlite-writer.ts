/** A thread with a connection of its own that runs statements of transactions which can be repeated. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorCode, errorText } from '../../../../core/start-error';
import { Sql } from './sql';
import type { ApartAnswer, ApartStatement } from './sqlite-apart';
import { sqliteDriver } from './sqlite-driver';
import { SqliteStatements } from './sqlite-statements';

/**
 * A commit need not be on the disk when it has ended. Another thread copies the WAL (`sqlite-checkpoints.ts`); where there is none,
 * as in an import, a commit does so before the WAL grows without end. Half of the cache of the main connection is enough for what is
 * read again.
 */
const PRAGMAS = [
  'synchronous = NORMAL',
  'busy_timeout = 5000',
  'foreign_keys = ON',
  'cache_size = -32768',
  'wal_autocheckpoint = 16384',
];

const Driver = sqliteDriver();
const handle = new Driver(String(workerData), { fileMustExist: true });
for (const pragma of PRAGMAS) handle.pragma(pragma);
const statements = new SqliteStatements();

function answerTo(asked: readonly ApartStatement[]): ApartAnswer {
  try {
    return {
      rows: asked.map(({ text, ...rest }) =>
        statements.run(handle, { sql: new Sql([text], []), ...rest }),
      ),
    };
  } catch (error) {
    return { error: { message: errorText(error), code: errorCode(error) } };
  }
}

parentPort?.on('message', (asked: readonly ApartStatement[]) => {
  parentPort?.postMessage(answerTo(asked));
});
