/** The claims of objects (`core/claim.ts`), kept as their hashes. */
import type { Dialect } from '../database/database';
import { sql } from '../database/sql';
import { ask, tell, type Work } from '../database/work';
import type { Claim } from '../types';

/** In the transaction that makes the object. */
export function* keepClaim(object: string, { hash: kept, endsAt }: Claim): Work<void> {
  yield* tell(
    sql`insert into oms_claims (hash, object, ends_at) values (${kept}, ${object}, ${endsAt})`,
  );
}

/** In the transaction that deletes the object. */
export function* dropClaims(object: string): Work<void> {
  yield* tell(sql`delete from oms_claims where object = ${object}`);
}

/** The same for several objects. */
export function* dropAllClaims(objects: readonly string[], dialect: Dialect): Work<void> {
  const ids = dialect.jsonItems(sql`${JSON.stringify(objects)}`);
  yield* ask(
    sql`delete from oms_claims where object ${dialect.among(sql`select j.value from ${ids}`)}`,
  );
}

/** Deletes claims that have run out. */
export function* sweepClaims(now: number): Work<void> {
  yield* ask(sql`delete from oms_claims where ends_at <= ${now}`);
}
