import type { Core } from '@strapi/strapi';

interface Index {
  readonly name: string;
  readonly type?: string;
  readonly columns: readonly string[];
}

/**
 * Drops the indexes of Strapi's that others make redundant, and that would slow down every insert: that of document ID,
 * locale and publication, since our types have neither locales nor drafts, and a unique index of the ID; and those of
 * foreign keys with which another index begins. PostgreSQL also prefers these to the one that is in the order of a list.
 * Strapi creates them again when a schema has changed, so this has to run after each sync.
 *
 * @param uids of types with a unique index of the document ID
 */
export async function dropRedundantIndexes(
  strapi: Core.Strapi,
  uids: readonly string[],
): Promise<void> {
  for (const uid of uids) {
    const { indexes = [] } = strapi.db.metadata.get(uid) as { indexes?: readonly Index[] };
    const redundant = indexes.filter(
      (index) =>
        index.type !== 'unique' &&
        (index.columns[0] === 'document_id' || indexes.some((other) => beginsWith(other, index))),
    );
    for (const { name } of redundant)
      await strapi.db.connection.raw('drop index if exists ??', [name]);
  }
}

/** Whether an index finds all that another one finds. */
const beginsWith = (longer: Index, shorter: Index): boolean =>
  longer.columns.length > shorter.columns.length &&
  shorter.columns.every((column, at) => longer.columns[at] === column);
