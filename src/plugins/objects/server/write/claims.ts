/** The claims of objects (`core/claim.ts`), kept as their hashes. */
import { sql } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Claim } from '../types';

/** In the transaction that makes the object. */
export function* keepClaim(object: string, { hash: kept, endsAt }: Claim): Work<void> {
  yield* ask(
    sql`insert into oms_claims (hash, object, ends_at) values (${kept}, ${object}, ${endsAt})`,
  );
}

/** In the transaction that deletes the object. */
export function* dropClaims(object: string): Work<void> {
  yield* ask(sql`delete from oms_claims where object = ${object}`);
}

/** Deletes claims that have run out. */
export function* sweepClaims(now: number): Work<void> {
  yield* ask(sql`delete from oms_claims where ends_at <= ${now}`);
}
