/** Tables of ours, which no content type describes: made after Strapi has made its own. */
import type { Core } from '@strapi/strapi';

type Knex = Core.Strapi['db']['connection'];
type Describe = Parameters<Knex['schema']['createTable']>[1];

/** Runs when Strapi has brought the database to its content types; to be called in `register`. */
export function afterSync(strapi: Core.Strapi, work: () => Promise<void>): void {
  const hook = strapi.hook('strapi::content-types.afterSync') as {
    register(handler: () => Promise<void>): void;
  };
  hook.register(work);
}

/** Makes a table where it is missing. */
export async function ensureTable(
  strapi: Core.Strapi,
  name: string,
  describe: Describe,
): Promise<void> {
  const { schema } = strapi.db.connection;
  if (!(await schema.hasTable(name))) await schema.createTable(name, describe);
}
