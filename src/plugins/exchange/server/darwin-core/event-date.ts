/** The time of an occurrence, from `eventDate`, `eventTime`, `year`, `month` and `day`. */
import { parseTime } from '../../../../core/time';
import type { Row } from '../package/row';

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(?:(Z)|([+-]\d{2})(?::?(\d{2}))?)?`;
const CLOCK_ONLY = new RegExp(`^T?${CLOCK}$`, 'i');
const POINT = new RegExp(String.raw`^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ]${CLOCK})?)?)?$`, 'i');
const BASIC = /^(\d{4})(\d{2})(\d{2})$/;

/** Characters of a time as it was written down. */
const MAX_VERBATIM = 255;

export interface OccurrenceTime {
  /** In the forms of an encounter's time; null if it is not known for certain. */
  readonly time: string | null;
  readonly verbatim: string | null;
}

/**
 * Reads the time as precisely as it is certain. A date that is in no form of ISO 8601 is a fault of the row; it is kept
 * as it was written down, unless the row has a `verbatimEventDate`.
 */
export function readTime(row: Row): OccurrenceTime {
  const given = row.text('eventDate');
  const verbatim = row.text('verbatimEventDate');
  const date = given === null ? dateOfParts(row) : isoTime(given);
  if (given !== null && date === null)
    row.refuse('eventDate', 'is no time in a form of ISO 8601, or does not exist');
  const text = verbatim ?? (date === null ? given : null);
  return {
    time: withClock(row, date),
    verbatim: text === null ? null : text.slice(0, MAX_VERBATIM),
  };
}

/** A time or an interval in ISO 8601 as an encounter's time has it; null for other texts. */
export function isoTime(text: string): string | null {
  const [first = '', second, ...more] = text.split('/').map((part) => part.trim());
  const start = isoPoint(first);
  if (start === null || more.length > 0) return null;
  if (second === undefined) return existing(start);
  const end = isoPoint(completed(start, second));
  if (end === null) return null;
  return existing(start === end ? start : `${start}/${end}`);
}

const existing = (time: string): string | null => (parseTime(time) === null ? null : time);

const padded = (digits: string): string => digits.padStart(2, '0');

function isoPoint(text: string): string | null {
  const match = POINT.exec(text) ?? BASIC.exec(text);
  if (!match) return null;
  const [, year = '', month, day, ...clock] = match;
  if (month === undefined) return year;
  const date = [year, padded(month), ...(day === undefined ? [] : [padded(day)])].join('-');
  return clock[0] === undefined ? date : `${date}T${isoClock(clock)}`;
}

function isoClock(groups: readonly (string | undefined)[]): string {
  const [hours = '', minutes = '', seconds, fraction = '', utc, offset, offsetMinutes] = groups;
  const clock = `${padded(hours)}:${minutes}${seconds === undefined ? '' : `:${seconds}${fraction}`}`;
  if (utc !== undefined) return `${clock}Z`;
  return offset === undefined ? clock : `${clock}${offset}:${offsetMinutes ?? '00'}`;
}

/** The end of an interval, whose leading parts may be those of its start: `2007-11-13/15`. */
function completed(start: string, end: string): string {
  const [date = '', clock] = start.split('T');
  if (CLOCK_ONLY.test(end)) return clock === undefined ? '' : `${date}T${end.replace(/^T/i, '')}`;
  const parts = /^\d{2}(?:-\d{2})?$/.exec(end) ? end.split('-') : null;
  const known = date.split('-');
  if (parts === null || clock !== undefined) return end;
  return [...known.slice(0, known.length - parts.length), ...parts].join('-');
}

/** Of the columns `year`, `month` and `day`, as far as they are given one after the other. */
function dateOfParts(row: Row): string | null {
  const year = row.integer('year', { min: 1, max: 9999 });
  const month = row.integer('month', { min: 1, max: 12 });
  const day = row.integer('day', { min: 1, max: 31 });
  if (year === null) return null;
  const parts = [String(year).padStart(4, '0')];
  if (month !== null) parts.push(padded(String(month)));
  if (month !== null && day !== null) parts.push(padded(String(day)));
  const date = existing(parts.join('-'));
  if (date === null) row.refuse('day', 'is no day of its month');
  return date ?? existing(parts.slice(0, 2).join('-'));
}

/** Adds `eventTime` to a date without one. */
function withClock(row: Row, date: string | null): string | null {
  const text = row.text('eventTime');
  if (text === null || date === null || date.includes('T')) return date;
  const clocks = text.split('/').map((part) => CLOCK_ONLY.exec(part.trim()));
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    row.refuse('eventTime', 'cannot be added to a date that is not one day');
    return date;
  }
  const points = clocks.map((match) => (match ? `${date}T${isoClock(match.slice(1))}` : ''));
  const time = points.length > 2 ? null : existing(points.join('/'));
  if (time === null) row.refuse('eventTime', 'is no time of day such as 14:05:00+02:00');
  return time ?? date;
}
