/**
 * When strangers are told of what is not open (contract, section 6, "When"): not finer than the time that they are told.
 * Pure; dates are those of UTC, as `2026-03-09`.
 */

import type { TellHidden } from '../../../plugins/objects/server/site/settings';
import type { Body } from '../../../plugins/objects/server/declare/objects';

/** Whether strangers are told of an object, and from which date on; of what is not approved neither. */
export interface Telling {
  readonly told_from: string | null;
  /** The date of the later of creation and approval, while they are not told. */
  readonly untold_since: string | null;
}

export const NOT_TOLD: Telling = { told_from: null, untold_since: null };

/** What an object says of it. */
export const tellingOf = (object: Body): Telling => ({
  told_from: (object['told_from'] ?? null) as string | null,
  untold_since: (object['untold_since'] ?? null) as string | null,
});

const DAY = 86_400_000;

/** The day that was asked for last: mostly today. */
let last = { day: NaN, date: '' };

/** The date of a time. @param time milliseconds since 1970 */
export function dateOf(time: number): string {
  const day = Math.floor(time / DAY);
  if (day !== last.day) last = { day, date: new Date(time).toISOString().slice(0, 10) };
  return last.date;
}

/** The level from which on what is told has no month (`privacy.ts`). */
const PRIVATE = 2;

/** The first day of the month after a date; of the year, where the time is told to the year. */
export function firstAfter(date: string, level: number): string {
  const [year = 0, month = 0] = date.split('-').map(Number);
  return dateOf(level >= PRIVATE ? Date.UTC(year + 1, 0) : Date.UTC(year, month));
}

export interface Waiting {
  /** The date of the later of creation and approval. */
  readonly since: string;
  /** The number of the strangers' view of it: 0 where they see it as it is stored. */
  readonly level: number;
  readonly today: string;
  readonly tellHidden: TellHidden;
}

/** When what is approved, and was not told before, is told. */
export function telling({ since, level, today, tellHidden }: Waiting): Telling {
  if (level === 0 || tellHidden === 'at_once') return { told_from: today, untold_since: null };
  const date = firstAfter(since, level);
  return { told_from: date, untold_since: date <= today ? null : since };
}
