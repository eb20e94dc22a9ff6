/** Which assets other objects may refer to. */
import type { Caller } from '../../../core/caller';
import { ApiError } from '../../../core/errors';
import { USERS } from '../../accounts/server/users/account';
import { raw, sql } from '../../objects/server/database/sql';
import { askOne, type Work } from '../../objects/server/database/work';
import type { Body } from '../../objects/server/declare/objects';
import type { Objects } from '../../objects/server/types';

/**
 * These fields of an asset, null where it does not exist or the caller may not attach it to anything.
 *
 * @throws ApiError UNAVAILABLE
 */
export async function attachable(
  objects: Objects,
  id: string,
  caller: Caller,
  fields: readonly string[],
): Promise<Body | null> {
  try {
    const { object, may } = await objects.inspect('asset', id, caller, fields);
    return may('update') ? object : null;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

/** The table of assets. */
const ASSETS = raw('assets');

/** Whether a user owns an asset, by their IDs. */
export function* isOwnedBy(asset: string, user: string): Work<boolean> {
  const row = yield* askOne(
    sql`select 1 from ${ASSETS} a join ${USERS} u on u.id = a.owner_id
      where a.document_id = ${asset} and u.document_id = ${user}`,
  );
  return row !== undefined;
}
