import type { Core } from '@strapi/strapi';

interface Index {
  readonly name: string;
  readonly type?: string;
  readonly columns: readonly string[];
}

/**
 * Drops the index of document ID, locale and publication that Strapi creates for each type. Our types have neither
 * locales nor drafts, and a unique index of the ID, so this index is redundant and would slow down every insert. Strapi
 * creates it again when a schema has changed, so this has to run after each sync.
 *
 * @param uids of types with a unique index of the document ID
 */
export async function dropDocumentIndexes(
  strapi: Core.Strapi,
  uids: readonly string[],
): Promise<void> {
  for (const uid of uids) {
    const { indexes = [] } = strapi.db.metadata.get(uid) as { indexes?: readonly Index[] };
    const redundant = indexes.filter(
      ({ type, columns }) => type !== 'unique' && columns[0] === 'document_id',
    );
    for (const { name } of redundant)
      await strapi.db.connection.raw('drop index if exists ??', [name]);
  }
}
