import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  sqliteDriver,
  type SqliteHandle,
} from '../../src/plugins/objects/server/database/sqlite-driver';
import { newFolder, type Place } from './place';

/** The database file in a data directory. */
export const fileIn = (folder: string): string => join(folder, 'db.sqlite');

/** Creates an empty place in a folder. */
export const sqlitePlace = (parent: string): Place => placeIn(parent, newFolder(parent));

function placeIn(parent: string, folder: string): Place {
  const file = fileIn(folder);
  return {
    folder,
    env: { OMS_DATA_DIR: folder, DATABASE_CLIENT: 'sqlite', DATABASE_URL: '' },
    // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
    async run(...statements) {
      withHandle(file, (handle) => {
        for (const statement of statements) handle.exec(statement);
      });
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
    async rows(statement) {
      return withHandle(file, (handle) => handle.prepare(statement).raw().all() as unknown[][]);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
    async columns(table) {
      return withHandle(file, (handle) =>
        handle
          .prepare(`select * from ${table}`)
          .columns()
          .map(({ name }) => name),
      );
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- as the others
    async copy() {
      const other = newFolder(parent);
      cpSync(folder, other, { recursive: true });
      return placeIn(parent, other);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- as the others
    async drop() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** These writes need not be durable. Closing checkpoints the WAL. */
function withHandle<T>(file: string, action: (handle: SqliteHandle) => T): T {
  const Driver = sqliteDriver();
  const handle = new Driver(file);
  try {
    handle.pragma('synchronous = OFF');
    handle.function('gen_random_uuid', { deterministic: false }, () => randomUUID());
    return action(handle);
  } finally {
    handle.close();
  }
}
