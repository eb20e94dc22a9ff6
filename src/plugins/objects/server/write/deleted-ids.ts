/**
 * IDs are never reused. The history records the deletion of an object; of an object whose history is erased with it, the
 * hash of the ID is stored, because the ID of a deleted person must not be.
 */
import { hash } from 'node:crypto';
import type { Dialect } from '../database/database';
import { sql, type Sql } from '../database/sql';
import { ask, type Work } from '../database/work';

const hashOf = (id: string): string => hash('sha256', id, 'hex');

/** Stores the hash of an ID without a history, in the transaction that deletes the object. */
export function* keepFromReuse(id: string): Work<void> {
  yield* ask(
    sql`insert into oms_deleted_ids (hash) values (${hashOf(id)}) on conflict (hash) do nothing`,
  );
}

/** The same for several objects. */
export function* keepAllFromReuse(ids: readonly string[], dialect: Dialect): Work<void> {
  const hashes = dialect.jsonItems(sql`${JSON.stringify(ids.map(hashOf))}`);
  yield* ask(
    sql`insert into oms_deleted_ids (hash) select j.value from ${hashes} where true
     on conflict (hash) do nothing`,
  );
}

/** Gives a row if an object with this ID was deleted. */
export const deletedWith = (id: string): Sql =>
  sql`select null from oms_deleted_ids where hash = ${hashOf(id)}
    union all select null from oms_history where object = ${id} and action = 'delete'`;
