/** Positions in a box and in a circle, WGS 84. */
import { anyOf, raw, sql, type Sql } from '../../database/sql';
import type { Circle } from '../language/tree';
import type { Box } from '../projection/cells';
import { allOf } from './source';

/** Kilometers: the mean radius of the Earth (IUGG). */
const RADIUS = 6371.0088;
const DEGREE = Math.PI / 180;
/** Chords that are no longer than this count as none: some millimeters, for what rounding makes of a position. */
const ROUNDING = 1e-18;

/**
 * In a box; one whose west is greater than its east crosses the date line (RFC 7946, section 5). Both meridians of 180°
 * are the same one, and a pole has every longitude.
 */
export function inBox(latitude: Sql, longitude: Sql, [west, south, east, north]: Box): Sql {
  const crosses = west > east;
  const within = crosses
    ? sql`(${longitude} >= ${west} or ${longitude} <= ${east})`
    : sql`${longitude} between ${west} and ${east}`;
  const others = [
    ...(!crosses && west === -180 && east < 180 ? [sql`${longitude} = 180`] : []),
    ...(!crosses && east === 180 && west > -180 ? [sql`${longitude} = -180`] : []),
    ...(north === 90 ? [sql`${latitude} = 90`] : []),
    ...(south === -90 ? [sql`${latitude} = -90`] : []),
  ];
  return allOf([
    sql`${latitude} between ${south} and ${north}`,
    others.length > 0 ? anyOf([within, ...others]) : within,
  ]);
}

/** Within a distance along the great circle, by the chord between the two positions on a sphere. */
export function inCircle(latitude: Sql, longitude: Sql, circle: Circle): Sql {
  const angle = circle.kilometers / RADIUS;
  // Everywhere: but a position is needed.
  if (angle >= Math.PI) return sql`${latitude} is not null`;
  const chord = (2 * Math.sin(angle / 2)) ** 2 + ROUNDING;
  const [box] = boxesAround(circle);
  return allOf([
    box ? inBox(latitude, longitude, box) : sql`${latitude} is not null`,
    sql`${squareOfChord(latitude, longitude, circle)} <= ${number(chord)}`,
  ]);
}

/** The square of the chord from the centre of a circle, on a sphere whose radius is 1. */
function squareOfChord(latitude: Sql, longitude: Sql, circle: Circle): Sql {
  const [y, x] = [circle.latitude * DEGREE, circle.longitude * DEGREE];
  const centre = [Math.cos(y) * Math.cos(x), Math.cos(y) * Math.sin(x), Math.sin(y)];
  const own = [
    sql`cos(radians(${latitude})) * cos(radians(${longitude}))`,
    sql`cos(radians(${latitude})) * sin(radians(${longitude}))`,
    sql`sin(radians(${latitude}))`,
  ];
  const squares = own.map((value, at) => {
    const difference = sql`(${value} - ${number(centre[at] ?? 0)})`;
    return sql`${difference} * ${difference}`;
  });
  const [first = raw('0'), second = raw('0'), third = raw('0')] = squares;
  return sql`${first} + ${second} + ${third}`;
}

/**
 * The order of distances from the centre of a circle: the chord in whole millimetres, so that what rounding makes of one
 * position does not tell it from another one.
 */
export const distanceFrom = (latitude: Sql, longitude: Sql, circle: Circle): Sql =>
  sql`cast(round(sqrt(${squareOfChord(latitude, longitude, circle)}) * ${raw(String(RADIUS * 1e6))}) as bigint)`;

/** PostgreSQL takes the type of a parameter from beside it. */
const number = (value: number): Sql => sql`cast(${value} as double precision)`;

/** A box around a circle; none around one that is nearly everywhere. */
export function boxesAround({ latitude, longitude, kilometers }: Circle): readonly Box[] {
  const reach = kilometers / RADIUS / DEGREE;
  if (reach >= 180) return [];
  const margin = reach + 1e-6;
  const [south, north] = [Math.max(latitude - margin, -90), Math.min(latitude + margin, 90)];
  const all: Box = [-180, south, 180, north];
  if (south === -90 || north === 90) return [all];
  const ratio = Math.sin(margin * DEGREE) / Math.cos(latitude * DEGREE);
  const wide = ratio >= 1 ? 180 : Math.asin(ratio) / DEGREE + 1e-6;
  const [west, east] = [longitude - wide, longitude + wide];
  if (wide >= 180) return [all];
  return [[west < -180 ? west + 360 : west, south, east > 180 ? east - 360 : east, north]];
}
