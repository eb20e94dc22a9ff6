/**
 * Times of any precision: ISO 8601 in the four forms of EDTF level 0 (year, month, day, date and time) and intervals of
 * two of them (https://www.loc.gov/standards/datetime/). Written by hand because a grammar-driven parser takes about
 * 170 µs per value, most of an import's budget; the tests compare it with the `edtf` rules.
 */

const TIME =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/** The largest UTC offset that is in use, in minutes (Kiribati, +14:00). */
export const MAX_UTC_OFFSET = 14 * 60;

/** The instants that a time covers, both inclusive, in milliseconds since 1970 UTC. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** A span as it was written down, beside the instants that it covers. */
export interface WrittenSpan extends TimeSpan {
  /**
   * The same by the calendar and the clocks of its place, as if they were UTC. In the hour that is repeated when clocks are
   * put back an interval may run backwards: this is from its earlier end to its later one.
   */
  readonly local: TimeSpan;
  /** Whether its first and its last part say by how much their clocks are ahead of UTC. */
  readonly offsets: { readonly start: boolean; readonly end: boolean };
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
  if (minutes > 59 || total > MAX_UTC_OFFSET) return null;
  return offset.startsWith('-') ? -total : total;
}

/** One part of a time, with its offset in minutes; null without one. */
interface Point extends TimeSpan {
  readonly offset: number | null;
}

/** What was read last: a value is checked, compared and stored right after it has been read. */
let last: { readonly text: string; readonly point: Point | null } = { text: '', point: null };

function parsePoint(text: string): Point | null {
  if (last.text !== text) last = { text, point: readPoint(text) };
  return last.point;
}

function readPoint(text: string): Point | null {
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
    return { start: first, end: endOf(first, months, days), offset: null };

  const clock = [Number(hours), Number(minutes), Number(seconds ?? 0)] as const;
  const shift = offsetMinutes(offset);
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59 || shift === null) return null;
  const milliseconds = Number((fraction ?? '0').padEnd(3, '0').slice(0, 3));
  const instant =
    first + clock[0] * 3_600_000 + (clock[1] - shift) * 60_000 + clock[2] * 1000 + milliseconds;
  return { start: instant, end: instant, offset: offset === undefined ? null : shift };
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
  const ends = parseEnds(text);
  return ends && { start: ends[0].start, end: ends[1].end };
}

/**
 * The same with what was written down: for search, order and figures a time is that of its place (contract, section 5).
 *
 * @returns null as `parseTime` does
 */
export function parseWritten(text: string): WrittenSpan | null {
  const ends = parseEnds(text);
  if (!ends) return null;
  const [from, to] = ends;
  const [first, last] = [from.start + minutes(from.offset), to.end + minutes(to.offset)];
  return {
    start: from.start,
    end: to.end,
    local: { start: Math.min(first, last), end: Math.max(first, last) },
    offsets: { start: from.offset !== null, end: to.offset !== null },
  };
}

const minutes = (offset: number | null): number => (offset ?? 0) * 60_000;

function parseEnds(text: string): readonly [Point, Point] | null {
  const slash = text.indexOf('/');
  const from = parsePoint(slash === -1 ? text : text.slice(0, slash));
  const to = slash === -1 ? from : parsePoint(text.slice(slash + 1));
  return from && to && to.end >= from.start ? [from, to] : null;
}

/**
 * The start of the last part of a time: the latest instant at which the event can have begun. In the middle of 2026,
 * the time `2026` is not in the future although its span ends in the future.
 */
export function latestStart(text: string): number | null {
  const slash = text.indexOf('/');
  return parsePoint(slash === -1 ? text : text.slice(slash + 1))?.start ?? null;
}
