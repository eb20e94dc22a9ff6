import type { Caller } from '../core/caller';
import { hashOfSecret } from '../core/secret';

/** The number of claims that a caller gives in bodies: one for each photograph of an encounter. */
const MAX_CLAIMS = 100;

/** The caller with the claims of these bodies; invalid ones are reported with the other fields. */
export function withClaims(caller: Caller, ...bodies: readonly unknown[]): Caller {
  const hashes = bodies
    .flatMap((body) => (typeof body === 'object' && body !== null ? claimsOf(body) : []))
    .slice(0, MAX_CLAIMS)
    .flatMap((claim) => hashOfSecret(claim) ?? []);
  return hashes.length === 0 ? caller : { ...caller, claims: [...caller.claims, ...hashes] };
}

const claimsOf = (body: object): string[] => {
  const given: unknown = 'claims' in body ? body.claims : null;
  return Array.isArray(given) ? given.filter((claim) => typeof claim === 'string') : [];
};
