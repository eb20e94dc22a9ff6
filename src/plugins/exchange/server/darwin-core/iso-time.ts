/** The forms of ISO 8601 in which archives write times, as an encounter's time has them. */
import { parseTime } from '../../../../core/time';
import { CLOCK, clockOfDay, isoClock } from './clock';

const POINT = new RegExp(String.raw`^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ]${CLOCK})?)?)?$`, 'i');
const BASIC = /^(\d{4})(\d{2})(\d{2})$/;
/** The day of a year: `2012-122`. */
const ORDINAL = /^(\d{4})-(\d{3})$/;
/** A date with the hour alone: `2012-05-01T10`, `2012-05-01T10Z`. */
const HOUR = /^(\d{4}-\d{2}-\d{2})[T ](\d{2})(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A time or an interval in ISO 8601 as an encounter's time has it; null for other texts. */
export function isoTime(text: string): string | null {
  const hour = hourOf(text);
  if (hour !== null) return existing(hour);
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
  const ordinal = ORDINAL.exec(text);
  if (ordinal) return dayOfYear(Number(ordinal[1]), Number(ordinal[2]));
  const match = POINT.exec(text) ?? BASIC.exec(text);
  if (!match) return null;
  const [, year = '', month, day, ...clock] = match;
  if (month === undefined) return year;
  const date = [year, padded(month), ...(day === undefined ? [] : [padded(day)])].join('-');
  return clock[0] === undefined ? date : `${date}T${isoClock(clock)}`;
}

/** The first and the last minute of an hour; null for another text. */
function hourOf(text: string): string | null {
  const [, date, hour = '', zone = ''] = HOUR.exec(text) ?? [];
  if (date === undefined) return null;
  const clocks = ['00', '59'].map((minute) => clockOfDay(`${hour}:${minute}${zone}`) ?? '');
  return clocks.map((clock) => `${date}T${clock}`).join('/');
}

function dayOfYear(year: number, day: number): string | null {
  const date = new Date(Date.UTC(2000, 0, day));
  date.setUTCFullYear(year, 0, day);
  return day > 0 && date.getUTCFullYear() === year ? date.toISOString().slice(0, 10) : null;
}

/** The end of an interval, whose leading parts may be those of its start: `2007-11-13/15`. */
function completed(start: string, end: string): string {
  const [date = '', clock] = start.split('T');
  if (/^T?\d{1,2}:\d{2}/i.test(end) && clockOfDay(end) !== null)
    return clock === undefined ? '' : `${date}T${end.replace(/^T/i, '')}`;
  const parts = /^\d{2}(?:-\d{2})?$/.exec(end) ? end.split('-') : null;
  const known = date.split('-');
  if (parts === null || clock !== undefined) return end;
  return [...known.slice(0, known.length - parts.length), ...parts].join('-');
}
