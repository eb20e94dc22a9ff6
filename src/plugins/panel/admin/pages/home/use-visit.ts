/** Since when a moderator has not been here: kept in this browser, for each account. */
import { useMemo } from 'react';

/** Milliseconds after which somebody who comes back begins another visit. */
const PAUSE = 30 * 60_000;

/** For who was never here. */
const FIRST = 24 * 3_600_000;

export interface Visit {
  /** The end of the visit before this one, milliseconds since 1970. */
  readonly since: number;
  /** When this page was last open. */
  readonly seen: number;
}

/** The visit that goes on, or begins, now. @param before what was kept of it; null for none */
export function visitNow(before: Visit | null, now: number): Visit {
  if (before === null) return { since: now - FIRST, seen: now };
  return { since: now - before.seen < PAUSE ? before.since : before.seen, seen: now };
}

/** @returns null for what is none */
function readVisit(text: string | null): Visit | null {
  try {
    const { since, seen } = JSON.parse(text ?? 'null') as Visit;
    return Number.isSafeInteger(since) && Number.isSafeInteger(seen) ? { since, seen } : null;
  } catch {
    return null;
  }
}

/** @param user of the panel @returns milliseconds since 1970 */
export const useLastVisit = (user: string): number =>
  useMemo(() => {
    const key = `oms.visit.${user}`;
    const visit = visitNow(readVisit(localStorage.getItem(key)), Date.now());
    localStorage.setItem(key, JSON.stringify(visit));
    return visit.since;
  }, [user]);
