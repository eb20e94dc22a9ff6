import type { Core } from '@strapi/strapi';

/** The tables of objects that strangers may be told of later (`ViewsDeclaration.untold`). */
const TABLES = ['encounters', 'individuals'];

/**
 * Makes the indexes of what strangers are not told yet, in the order of its dates. They have nothing of all other rows,
 * which a schema of Strapi's cannot say: so this runs after each sync.
 */
export async function makeUntoldIndexes(strapi: Core.Strapi): Promise<void> {
  for (const table of TABLES)
    await strapi.db.connection.raw(
      'create index if not exists ?? on ?? (told_from, document_id) where untold_since is not null',
      [`${table}_untold_ix`, table],
    );
}
