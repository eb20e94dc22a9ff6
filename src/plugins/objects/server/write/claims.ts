/** The claims of objects (`core/claim.ts`), kept as their hashes. */
import { CLAIM_KNOWN_FOR } from '../../../../core/claim';
import { ApiError, issue, malformed } from '../../../../core/errors';
import type { Dialect } from '../database/database';
import { sql, type Sql } from '../database/sql';
import { ask, askOne, tell, type Work } from '../database/work';
import type { Body, Claim } from '../declare/objects';

/** A new object that has a claim. */
interface Claimed {
  readonly type: string;
  readonly id: string;
  readonly after: Body;
}

/** In the transaction that makes the object. */
export function* keepClaim(
  { type, id, after }: Claimed,
  { hash, endsAt, brings }: Claim,
  now: number,
): Work<void> {
  const knownUntil = now + CLAIM_KNOWN_FOR;
  const adoptUntil = brings === undefined ? null : knownUntil;
  const brought = brings === undefined ? null : JSON.stringify(after[brings] ?? []);
  yield* tell(
    sql`insert into oms_claims (hash, object, type, ends_at, known_until, adopt_until, brought)
      values (${hash}, ${id}, ${type}, ${endsAt}, ${knownUntil}, ${adoptUntil}, ${brought})`,
  );
}

/**
 * Refuses a create that was carried out before, its answer having been lost.
 *
 * @param hash of the claim in its body
 * @throws ApiError ENTITY_EXISTS with the ID, whatever has become of the object; MALFORMED for a claim that is no new one
 */
export function* refuseSentAgain(hash: string, now: number): Work<void> {
  const row = yield* askOne(
    sql`select type, object, known_until from oms_claims where hash = ${hash}`,
  );
  if (!row) return;
  const [type, id] = row.map(String);
  const taken = [issue('claim', 'TAKEN', {})];
  // One that is older may permit something still, and belongs to no other object.
  if (Number(row[2]) <= now) throw malformed(taken);
  throw new ApiError('ENTITY_EXISTS', { type, path: 'claim', id }, taken);
}

const among = (objects: readonly string[], dialect: Dialect): Sql =>
  dialect.among(sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(objects)}`)}`);

/** Ends what the claims of objects permit, but to adopt them. */
export function* endClaimsOf(
  objects: readonly string[],
  { now, dialect }: { readonly now: number; readonly dialect: Dialect },
): Work<void> {
  yield* ask(
    sql`update oms_claims set ends_at = ${now} where object ${among(objects, dialect)}
      and (ends_at is null or ends_at > ${now})`,
  );
}

/** Lets whoever carries the claim of a report read it as strangers will. @param until null for no longer */
export function* letReportBeRead(object: string, until: number | null): Work<void> {
  yield* tell(
    sql`update oms_claims set reads_until = ${until} where object = ${object} and brought is not null`,
  );
}

/** Ends all that the claims of objects permit: they are deleted, or adopted. The same create is still known again. */
export function* retireClaimsOf(
  objects: readonly string[],
  { now, dialect }: { readonly now: number; readonly dialect: Dialect },
): Work<void> {
  yield* ask(
    sql`update oms_claims set ends_at = case when ends_at < ${now} then ends_at else ${now} end,
      adopt_until = null, reads_until = null where object ${among(objects, dialect)}`,
  );
}

/** Ends that an object can be adopted. */
export function* endAdoptionOf(object: string): Work<void> {
  yield* tell(sql`update oms_claims set adopt_until = null where object = ${object}`);
}

/** Forgets the claims of an object that was given up: it may be sent again. */
export function* dropClaims(object: string): Work<void> {
  yield* tell(sql`delete from oms_claims where object = ${object}`);
}

/** Deletes claims that have run out. */
export function* sweepClaims(now: number): Work<void> {
  yield* ask(sql`delete from oms_claims where ends_at <= ${now} and known_until <= ${now}
    and coalesce(reads_until, 0) <= ${now}`);
}
