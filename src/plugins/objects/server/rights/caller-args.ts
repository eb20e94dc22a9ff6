/** The caller in statements: their parameters, and the kinds of callers for whom one is compiled. */
import type { Caller, Role } from '../../../../core/caller';
import type { SqlValue } from '../database/sql';

/** The parameters that hold the caller's ID, empty for a caller without an account, and that of its row. */
export const CALLER = 'caller';
export const CALLER_ROW = 'callerRow';
/** The hashes of the claims that the caller carries, and the time. */
export const CLAIMS = 'claims';
export const NOW = 'now';

/** The parameters of a statement that describe the caller. @param now milliseconds since 1970 */
export const callerArgs = (caller: Caller, now: number): Readonly<Record<string, SqlValue>> => ({
  [CALLER]: caller.id ?? '',
  [CALLER_ROW]: caller.rowId,
  [CLAIMS]: JSON.stringify(caller.claims),
  [NOW]: now,
});

/** Callers for whom the same is compiled. */
export interface CallerKind {
  readonly role: Role;
  /** Whether it carries a claim. */
  readonly claims: boolean;
}

export const kindOf = ({ role, claims }: Pick<Caller, 'role' | 'claims'>): CallerKind => ({
  role,
  claims: claims.length > 0,
});
