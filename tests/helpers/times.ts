/** What searches make of a time, in other words than the service has for it: part by part, and by text. */
import { parseTime } from '#app/core/time';

interface Part {
  /** By the calendar and the clocks of its place. */
  readonly local: readonly [start: number, end: number];
  /** Null for a part that does not say by how much its clocks are ahead of UTC. */
  readonly instant: number | null;
}

const OFFSET = /(T[\d:.]+)(?:Z|[+-]\d\d:\d\d)$/;

const spanOf = (text: string): readonly [number, number] => {
  const span = parseTime(text);
  if (!span) throw new RangeError(text);
  return [span.start, span.end];
};

const partOf = (text: string): Part => ({
  local: spanOf(text.replace(OFFSET, '$1')),
  instant: OFFSET.test(text) ? Date.parse(text) : null,
});

interface Time {
  readonly first: Part;
  readonly last: Part;
  readonly local: readonly [start: number, end: number];
}

function timeOf(text: string): Time {
  const [first = '', last = first] = text.split('/');
  const parts = { first: partOf(first), last: partOf(last) };
  const ends = [parts.first.local[0], parts.last.local[1]];
  return { ...parts, local: [Math.min(...ends), Math.max(...ends)] };
}

/** The start and end by which times are in order. */
export const orderOf = (text: string): readonly [number, number] => timeOf(text).local;

const begins = (one: Time, bound: Time): boolean =>
  bound.last.instant !== null && one.first.instant !== null
    ? one.first.instant <= bound.last.instant
    : one.local[0] <= bound.local[1];

const ends = (one: Time, bound: Time): boolean =>
  bound.first.instant !== null && one.last.instant !== null
    ? one.last.instant >= bound.first.instant
    : one.local[1] >= bound.local[0];

/** Whether a time begins before the end of a bound, or ends after its beginning. */
export const overlaps = (own: string, side: 'min' | 'max', bound: string): boolean =>
  (side === 'max' ? begins : ends)(timeOf(own), timeOf(bound));

/** Whether a time lies in another one. */
export function liesIn(own: string, wanted: string): boolean {
  const [one, bound] = [timeOf(own), timeOf(wanted)];
  const starts =
    bound.first.instant !== null && one.first.instant !== null
      ? one.first.instant >= bound.first.instant
      : one.local[0] >= bound.local[0];
  const stops =
    bound.last.instant !== null && one.last.instant !== null
      ? one.last.instant <= bound.last.instant
      : one.local[1] <= bound.local[1];
  return starts && stops;
}
