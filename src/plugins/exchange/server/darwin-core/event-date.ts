/** The time of an occurrence, from `eventDate`, `eventTime`, `year`, `month` and `day`. */
import { parseTime } from '../../../../core/time';
import type { TableRow } from '../package/row';
import { clockOfDay } from './clock';
import { isoTime } from './iso-time';

/** Characters of a time as it was written down. */
const MAX_VERBATIM = 255;

const DAY = 86_400_000;

/** The columns of the parts of a date. */
const PARTS = ['year', 'month', 'day'] as const;

export interface OccurrenceTime {
  /** In the forms of an encounter's time; null if it is not known for certain. */
  readonly time: string | null;
  readonly verbatim: string | null;
}

/**
 * Reads the time as precisely as it is certain. `year`, `month` and `day` are read where `eventDate` is in another form
 * than those of ISO 8601, and where it is less precise; where the two contradict each other, neither is certain. What
 * cannot be read is a fault of the row, and kept as it was written down, unless the row has a `verbatimEventDate`.
 */
export function readTime(row: TableRow): OccurrenceTime {
  const given = row.text('eventDate');
  const verbatim = row.text('verbatimEventDate');
  const whole = given === null ? null : wholeDate(row, given);
  const parts = dateOfParts(row);
  const date = agreed(row, given, whole, parts);
  if (whole === null) row.release('eventDate');
  const text = verbatim ?? (given === null || (whole !== null && date !== null) ? null : given);
  const kept = text ?? (given !== null && isOpen(given) ? given : null);
  return {
    time: withClock(row, date),
    verbatim: kept === null ? null : kept.slice(0, MAX_VERBATIM),
  };
}

/** An interval whose end is not known: `2012-05-01/`, `2012-05-01/..`. */
const isOpen = (text: string): boolean => /^[^/]+\/\s*(?:\.\.)?\s*$/.test(text);

/** `eventDate` in itself. */
function wholeDate(row: TableRow, given: string): string | null {
  if (!isOpen(given)) return isoTime(given);
  const start = isoTime(given.split('/')[0] ?? '');
  if (start !== null) row.tell('eventDate', 'has no end, and its start is read');
  return start;
}

/** The date that both ways of writing it give. */
function agreed(
  row: TableRow,
  given: string | null,
  whole: string | null,
  parts: string | null,
): string | null {
  if (whole === null || parts === null) {
    if (given !== null && whole === null && parts === null)
      row.refuse('eventDate', 'is no time in a form of ISO 8601, or does not exist');
    return whole ?? parts;
  }
  const [one, other] = [parseTime(whole), parseTime(parts)];
  // Where the offset of a time is not that of its place, its day there may be the one before or after.
  const leeway = /T.*[Z+-]/.test(whole) ? DAY : 0;
  const isApart =
    !one || !other || one.end + leeway < other.start || other.end + leeway < one.start;
  if (isApart) {
    row.release(...PARTS);
    return row.refuse('eventDate', 'does not agree with year, month and day, and is left out');
  }
  return /^\d{4}(?:-\d\d)?$/.test(whole) && parts.length > whole.length ? parts : whole;
}

const padded = (digits: number): string => String(digits).padStart(2, '0');

/** Of the columns `year`, `month` and `day`, as far as they are given one after the other. */
function dateOfParts(row: TableRow): string | null {
  const text = row.text('year');
  if (text !== null && /^\d{1,2}$/.test(text)) row.refuse('year', 'is no year of four digits');
  const year = /^\d{1,2}$/.test(text ?? '') ? null : row.integer('year', { min: 1, max: 9999 });
  const month = row.integer('month', { min: 1, max: 12 });
  const day = row.integer('day', { min: 1, max: 31 });
  if (year === null) {
    row.release('month', 'day');
    return null;
  }
  const parts = [String(year).padStart(4, '0')];
  if (month !== null) parts.push(padded(month));
  if (month !== null && day !== null) parts.push(padded(day));
  else row.release('day');
  const date = isoTime(parts.join('-'));
  if (date === null) row.refuse('day', 'is no day of its month');
  return date ?? isoTime(parts.slice(0, 2).join('-'));
}

/** Adds `eventTime` to a date without one. */
function withClock(row: TableRow, date: string | null): string | null {
  const text = row.text('eventTime');
  if (text === null) return date;
  if (date === null || date.includes('T')) {
    // The date has a time of its own, or there is none to which this could be added.
    row.release('eventTime');
    return date;
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    row.refuse('eventTime', 'cannot be added to a date that is not one day');
    return date;
  }
  const clocks = text.split('/').map((part) => clockOfDay(part.trim()));
  const [from, to] = clocks;
  const points = clocks.map((clock) => (clock === null ? '' : `${date}T${clock}`));
  // A night: it ends on the next day.
  if (typeof from === 'string' && typeof to === 'string' && to.slice(0, 5) < from.slice(0, 5))
    points[1] = `${nextDay(date)}T${to}`;
  const time = points.length > 2 ? null : isoTime(points.join('/'));
  if (time === null) row.refuse('eventTime', 'is no time of day such as 14:05:00+02:00');
  return time ?? date;
}

const nextDay = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
