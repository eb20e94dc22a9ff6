/**
 * Refuses what goes round the writer: `strapi.db.query(uid)` changes rows without the checks, the history, and what is
 * kept for reading. Strapi's migrations run before this, and the writer does not use it.
 */
import type { Core } from '@strapi/strapi';

/** A change that goes round the writer. */
export class WriterBypassedError extends Error {
  override readonly name = 'WriterBypassedError';

  constructor(uid: string, method: string) {
    super(
      `strapi.db.query("${uid}").${method} would change it without checks, history and search: use strapi.documents("${uid}")`,
    );
  }
}

/** The lifecycles of changes, and the calls that they belong to. */
const METHODS = {
  beforeCreate: 'create',
  beforeCreateMany: 'createMany',
  beforeUpdate: 'update',
  beforeUpdateMany: 'updateMany',
  beforeDelete: 'delete',
  beforeDeleteMany: 'deleteMany',
} as const;

/** @param uids the types whose rows belong to the writer. To be called in `bootstrap`, when Strapi has migrated */
export function refuseBypass(strapi: Core.Strapi, uids: readonly string[]): void {
  const refusals = Object.entries(METHODS).map(([lifecycle, method]) => [
    lifecycle,
    ({ model }: { model: { uid: string } }) => {
      throw new WriterBypassedError(model.uid, method);
    },
  ]);
  strapi.db.lifecycles.subscribe({ models: [...uids], ...Object.fromEntries(refusals) } as never);
}
