import type { Core } from '@strapi/strapi';

/** A type of whose objects strangers may be told later, and the field that is null when they are. */
export interface ToldLater {
  readonly uid: string;
  readonly untold: string;
}

/**
 * Makes the indexes of what strangers are not told yet: by its date, which says whether anything is due, and by ID, the
 * order in which it is told. They have nothing of all other rows, which a schema of Strapi's cannot say: so this runs
 * after each sync.
 */
export async function makeUntoldIndexes(
  strapi: Core.Strapi,
  types: readonly ToldLater[],
): Promise<void> {
  for (const { uid, untold } of types) {
    const { tableName } = strapi.db.metadata.get(uid);
    for (const [name, columns] of [
      ['untold_ix', ['told_from', 'document_id']],
      ['untold_by_id_ix', ['document_id']],
    ] as const)
      await strapi.db.connection.raw(
        `create index if not exists ?? on ?? (${columns.map(() => '??').join()}) where ?? is not null`,
        [`${tableName}_${name}`, tableName, ...columns, untold],
      );
  }
}
