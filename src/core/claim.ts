/**
 * Claims: the secrets by which whoever sent an object without an account has access to it, knows it again when its answer
 * was lost, and adopts it with an account (contract, section 9).
 */
import { hashOfSecret, newSecret, type Secret } from './secret';

/** Milliseconds for which a create that is sent again with its claim is known, and a report can be adopted. */
export const CLAIM_KNOWN_FOR = 30 * 24 * 60 * 60_000;

/** The name of the field of a body in which a client gives a claim of its own making. */
const FIELD = 'claim';

/** The hash of the claim in the body of a create; null without one, or for a text that cannot be one. */
export function givenClaim(body: unknown): string | null {
  const given: unknown =
    typeof body === 'object' && body !== null && FIELD in body ? body[FIELD] : null;
  return typeof given === 'string' ? hashOfSecret(given.trim()) : null;
}

/** The claim of a new object: that of its body, else a new one. What cannot be one is refused with the other fields. */
export function claimOf(body: unknown): Secret {
  const hash = givenClaim(body);
  return hash === null ? newSecret() : { text: String((body as Body)[FIELD]).trim(), hash };
}

type Body = Readonly<Record<string, unknown>>;
