import { USERS } from '../../accounts/server/users/account';
import { raw, sql } from '../../objects/server/database/sql';
import { askOne, type Work } from '../../objects/server/database/work';

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
