/** What a check may change: by the writer of a service that does not listen, in its transactions. */
import type { Core } from '@strapi/strapi';
import { assetsOf } from '../../plugins/assets/server';
import { GRACE } from '../../plugins/assets/server/ledger';
import { backgroundOf, databaseOf } from '../../plugins/objects/server';
import { join, raw, sql } from '../../plugins/objects/server/database/sql';
import { ask } from '../../plugins/objects/server/database/work';
import { RENDITION_NAMES } from '../../plugins/objects/server/kinds/renditions';
import type { FileRepair } from './files';
import type { Write } from './kept';
import type { Remove } from './references';

export interface Repairs {
  readonly write: Write;
  readonly remove: Remove;
  readonly files: FileRepair;
}

/** Ends what changes have left to be done first: what differs afterwards is wrong. */
export async function repairsOf(strapi: Core.Strapi): Promise<Repairs> {
  await backgroundOf(strapi).workOff();
  const database = databaseOf(strapi);
  const { assets } = assetsOf(strapi);
  return {
    write: (work) => database.write(work),
    remove: (statement) =>
      database.write(function* () {
        yield* ask(statement);
      }),
    files: {
      async renditions(row, files, size) {
        const made = await assets.renditionsAnew(files, size);
        if (!made) return;
        const sizes = RENDITION_NAMES.map((name) => sql`${raw(`${name}_size`)} = ${made[name]}`);
        await database.write(function* () {
          yield* ask(sql`update assets set ${join(sizes)} where id = ${row}`);
        });
      },
      async orphans(files) {
        const list = database.dialect.jsonItems(sql`${JSON.stringify(files)}`);
        await database.write(function* () {
          yield* ask(
            sql`insert into oms_asset_files (files, due_at) select j.value, ${Date.now() + GRACE} from ${list}
              where true on conflict do nothing`,
          );
        });
      },
    },
  };
}
