/** Times as Camtrap DP has them: `%Y-%m-%dT%H:%M:%S%z`. */
import { parseTime } from '../../../core/time';

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant to the second. @returns null for a time that is less precise, or has no offset */
export function instantOf(time: string): string | null {
  const [, minute, second = ':00', offset] = INSTANT.exec(time) ?? [];
  return minute === undefined || offset === undefined ? null : `${minute}${second}${offset}`;
}

export interface ExportedEvent {
  readonly start: string;
  readonly end: string;
  /** Milliseconds since 1970 UTC. */
  readonly from: number;
  readonly to: number;
}

/** The event of a time: one instant, or from one to another. @returns null where an end of it is not known */
export function eventOf(time: unknown): ExportedEvent | null {
  if (typeof time !== 'string') return null;
  const [first = '', last = first] = time.split('/');
  const [start, end] = [instantOf(first), instantOf(last)];
  if (start === null || end === null) return null;
  const [from, to] = [parseTime(start)?.start, parseTime(end)?.start];
  return from === undefined || to === undefined ? null : { start, end, from, to };
}
