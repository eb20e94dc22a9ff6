import { parseTime } from '../../../../core/time';
import type { TableRow } from '../package/row';

/** `%Y-%m-%dT%H:%M:%S%z` in the table schemas: `%z` allows an offset without a colon. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:(Z)|([+-]\d{2}):?(\d{2}))?$/;

/** An instant with its offset, as text and for comparison. */
export interface Instant {
  /** As given, with a colon in the offset. */
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** The start and end of an event. */
export interface Event {
  readonly start: Instant;
  readonly end: Instant;
}

/**
 * The columns `eventStart` and `eventEnd`. An event without an end ends as it begins.
 *
 * @returns null for an invalid column, with a fault of the row
 */
export function readEvent(row: TableRow): Event | null {
  row.required('eventStart');
  const start = readInstant(row, 'eventStart');
  const end = row.text('eventEnd') === null ? start : readInstant(row, 'eventEnd');
  if (start === null || end === null) return null;
  return end.at < start.at ? row.refuse('eventEnd', 'is before eventStart') : { start, end };
}

function readInstant(row: TableRow, column: string): Instant | null {
  const text = row.text(column);
  if (text === null) return null;
  const match = DATE_TIME.exec(text);
  if (!match) return row.refuse(column, 'is not a date and time such as 2020-03-01T22:00:00Z');
  const [, local = '', utc, hours, minutes] = match;
  // Without an offset the instant is unknown; the standard requires one.
  if (utc === undefined && hours === undefined) return row.refuse(column, 'has no UTC offset');
  const given = utc === undefined ? `${local}${hours}:${minutes}` : text;
  const span = parseTime(given);
  return span ? { text: given, at: span.start } : row.refuse(column, 'is no time that exists');
}

/** ISO 8601: the one instant, or an interval of two; offsets stay as they were given. */
export function timeOf({ start, end }: Event): string {
  return start.at === end.at ? start.text : `${start.text}/${end.text}`;
}
