/**
 * IDs are never reused: of each deleted object the hash of its ID is stored. A hash, because the ID of a deleted person
 * must not be stored.
 */
import { hash } from 'node:crypto';
import { sql, type Sql } from '../database/sql';
import { ask, type Work } from '../database/work';

const hashOf = (id: string): string => hash('sha256', id, 'hex');

/** Stores the hash, in the transaction that deletes the object. */
export function* keepFromReuse(id: string): Work<void> {
  yield* ask(
    sql`insert into oms_deleted_ids (hash) values (${hashOf(id)}) on conflict (hash) do nothing`,
  );
}

/** Gives a row if an object with this ID was deleted. */
export const deletedWith = (id: string): Sql =>
  sql`select null from oms_deleted_ids where hash = ${hashOf(id)}`;
