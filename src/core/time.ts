/**
 * Times of any precision: ISO 8601 in the four forms of EDTF level 0 (year, month, day, date and time) and intervals of
 * two of them (https://www.loc.gov/standards/datetime/). Written by hand because a grammar-driven parser takes about
 * 170 µs per value, most of an import's budget; the tests compare it with the `edtf` rules.
 */

const TIME =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/** The largest UTC offset that is in use, in minutes (Kiribati, +14:00). */
const MAX_OFFSET = 14 * 60;

/** The instants that a time covers, both inclusive, in milliseconds since 1970 UTC. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** Midnight UTC of a date, or null for a day that does not exist. */
function utcDay(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : null;
}

function offsetMinutes(offset: string | undefined): number | null {
  if (offset === undefined || offset === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > MAX_OFFSET) return null;
  return offset.startsWith('-') ? -total : total;
}

function parsePoint(text: string): TimeSpan | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [, years, months, days, hours, minutes, seconds, fraction, offset] = match;
  const year = Number(years);
  if (year === 0) return null;
  const month = months === undefined ? 1 : Number(months);
  if (month < 1 || month > 12) return null;
  const first = utcDay(year, month, days === undefined ? 1 : Number(days));
  if (first === null) return null;
  if (hours === undefined || minutes === undefined)
    return { start: first, end: endOf(first, months, days) };

  const clock = [Number(hours), Number(minutes), Number(seconds ?? 0)] as const;
  const shift = offsetMinutes(offset);
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59 || shift === null) return null;
  const milliseconds = Number((fraction ?? '0').padEnd(3, '0').slice(0, 3));
  const instant =
    first + clock[0] * 3_600_000 + (clock[1] - shift) * 60_000 + clock[2] * 1000 + milliseconds;
  return { start: instant, end: instant };
}

/** The last millisecond of the year, month or day that begins at `first`. */
function endOf(first: number, months: string | undefined, days: string | undefined): number {
  const next = new Date(first);
  if (days !== undefined) next.setUTCDate(next.getUTCDate() + 1);
  else if (months !== undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return next.getTime() - 1;
}

/**
 * The span of a time. A time of day without an offset is UTC; a partial date spans the whole year, month or day; an
 * interval reaches from the start of its first part to the end of its second part.
 *
 * @returns null for any other form, a day that does not exist, or an interval that ends before it begins
 */
export function parseTime(text: string): TimeSpan | null {
  const slash = text.indexOf('/');
  if (slash === -1) return parsePoint(text);
  const from = parsePoint(text.slice(0, slash));
  const to = parsePoint(text.slice(slash + 1));
  if (!from || !to || to.end < from.start) return null;
  return { start: from.start, end: to.end };
}

/**
 * The start of the last part of a time: the latest instant at which the event can have begun. In the middle of 2026,
 * the time `2026` is not in the future although its span ends in the future.
 */
export function latestStart(text: string): number | null {
  const slash = text.indexOf('/');
  return parsePoint(slash === -1 ? text : text.slice(slash + 1))?.start ?? null;
}
