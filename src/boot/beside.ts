/** Reads a database beside a service, without a Strapi and without a change. */
import { statementOf, type Sql } from '../plugins/objects/server/database/sql';
import { sqliteDriver } from '../plugins/objects/server/database/sqlite-driver';
import type { Row } from '../plugins/objects/server/database/work';
import { errorText, StartError } from '../core/start-error';
import { connect } from './database';
import type { DatabaseEnvironment } from './environment';

/** A database that is read. */
export interface DatabaseBeside {
  readonly read: (statement: Sql) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

/** @throws StartError when there is none, or it does not answer */
export async function openBeside(database: DatabaseEnvironment): Promise<DatabaseBeside> {
  if (database.client === 'sqlite') return openFile(database.file);
  const client = await connect(database.url);
  await client.query('set default_transaction_read_only = on');
  return {
    async read(given) {
      const { sql, values } = statementOf(given);
      const query = { text: sql.postgres, values: [...values], rowMode: 'array' } as const;
      return (await client.query<Row[number][]>(query)).rows;
    },
    close: () => client.end(),
  };
}

function openFile(file: string): DatabaseBeside {
  try {
    const handle = new (sqliteDriver())(file, { readonly: true, fileMustExist: true });
    handle.pragma('busy_timeout = 10000');
    return {
      read(given) {
        const { sql, values } = statementOf(given);
        return Promise.resolve(
          handle
            .prepare<unknown[], Row>(sql.sqlite)
            .raw()
            .all(...values),
        );
      },
      close: () => Promise.resolve(void handle.close()),
    };
  } catch (error) {
    throw new StartError(`${file} cannot be opened (${errorText(error)}).`);
  }
}
