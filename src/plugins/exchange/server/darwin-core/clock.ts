/** Times of day. */

/** The parts of a time of day: hours, minutes, seconds, their fraction, `Z`, and the hours and minutes of an offset. */
export const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(?:(Z)|([+-]\d{2})(?::?(\d{2}))?)?`;

const COLONS = new RegExp(`^T?${CLOCK}$`, 'i');
const DIGITS = /^(\d{2})(\d{2})(\d{2})?\s?(?:(Z)|([+-]\d{2})(?::?(\d{2}))?)?$/i;
const LETTER_H = /^(\d{1,2})\s?h\s?(\d{2})?$/i;
const HALF_DAY = /^(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s?([ap])\.?m\.?$/i;

const padded = (digits: string): string => digits.padStart(2, '0');

/** The time of day of the parts that `CLOCK` matches, as ISO 8601 has it. */
export function isoClock(groups: readonly (string | undefined)[]): string {
  const [hours = '', minutes = '', seconds, fraction = '', utc, offset, offsetMinutes] = groups;
  const clock = `${padded(hours)}:${minutes}${seconds === undefined ? '' : `:${seconds}${fraction}`}`;
  if (utc !== undefined) return `${clock}Z`;
  return offset === undefined ? clock : `${clock}${offset}:${offsetMinutes ?? '00'}`;
}

/** A time of day as ISO 8601 has it: of `9:30`, `0930`, `093000Z`, `9h30`, `9:30 pm`. @returns null for other texts */
export function clockOfDay(text: string): string | null {
  const colons = COLONS.exec(text);
  if (colons) return isoClock(colons.slice(1));
  const [, hours, minutes, seconds, utc, offset, offsetMinutes] = DIGITS.exec(text) ?? [];
  if (hours !== undefined)
    return isoClock([hours, minutes, seconds, undefined, utc, offset, offsetMinutes]);
  const [, hour, minute = '00'] = LETTER_H.exec(text) ?? [];
  if (hour !== undefined) return isoClock([hour, minute]);
  const [, twelve, after = '00', second, half] = HALF_DAY.exec(text) ?? [];
  if (twelve === undefined || Number(twelve) < 1 || Number(twelve) > 12) return null;
  const ofDay = (Number(twelve) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0);
  return isoClock([String(ofDay), after, second]);
}
