/** What a start leaves to be made anew in the background, as other code has made it. */
import { raw, sql, type Sql } from '../../../database/sql';
import type { Row } from '../../../database/work';
import type { Resources } from '../../../declare/completed';
import { KEPT_VERSIONS, otherInPlace, type KeptName } from './in-place';
import type { OwnProjection } from './register';
import { isVersion } from './stored';

export interface LeftByStart {
  /** The types whose tables for searches are filled. */
  readonly filled: readonly string[];
  /** What is made anew where it is. */
  readonly inPlace: readonly KeptName[];
}

/** A database that is read, and has all tables of this release or of one before it. */
interface Read {
  readonly read: (statement: Sql) => Promise<readonly Row[]>;
  readonly hasTable: (name: string) => boolean;
}

/**
 * What a start of this code would leave, of a database that it has not been started on.
 *
 * @param own for the dialect of that database
 * @returns null of one of before there were versions: its tables are compared when its migrations have run
 */
export async function leftByStart(
  own: readonly OwnProjection[],
  resources: Resources,
  { read, hasTable }: Read,
): Promise<LeftByStart | null> {
  if (!hasTable('oms_projections')) return null;
  const filled: string[] = [];
  for (const { resource, hash } of own) {
    const version = isVersion({ type: resource.type, hash });
    const rows = await read(
      sql`select 1 from ${raw(resource.table)} where not exists
        (select 1 from oms_projections where ${version} and state = 'active') limit 1`,
    );
    if (rows.length > 0) filled.push(resource.type);
  }
  const rows = hasTable('oms_kept_versions') ? await read(KEPT_VERSIONS) : [];
  return { filled, inPlace: otherInPlace(resources, rows) };
}
