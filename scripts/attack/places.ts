/** Places on a sphere, distances and the grid that strangers are told of. Pure. */

/** Degrees, WGS 84. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Kilometres of a degree of latitude: the mean radius of the Earth (IUGG). */
const DEGREE = (6371.0088 * Math.PI) / 180;

/** The side of a cell, in degrees (contract, section 6). */
export const SIDE = 0.2;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Kilometres of a degree of longitude at a latitude. */
export const degreeOfLongitude = (latitude: number): number => DEGREE * Math.cos(radians(latitude));

/** Kilometres of a degree of latitude. */
export const degreeOfLatitude = (): number => DEGREE;

/** Kilometres between two places (haversine). */
export function distance(one: Place, other: Place): number {
  const half = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2;
  const chord =
    half(one.latitude - other.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      half(one.longitude - other.longitude);
  return 2 * 6371.0088 * Math.asin(Math.sqrt(chord));
}

/** The place that is so many kilometres to the north and to the east. */
export const moved = (from: Place, north: number, east: number): Place => ({
  latitude: from.latitude + north / DEGREE,
  longitude: from.longitude + east / degreeOfLongitude(from.latitude),
});

/** The mean of places that are near each other; null of none. */
export function meanOf(places: readonly Place[]): Place | null {
  if (places.length === 0) return null;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    latitude: mean(places.map(({ latitude }) => latitude)),
    longitude: mean(places.map(({ longitude }) => longitude)),
  };
}

/** The median of numbers; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** The row or column of a cell: the number of sides from the origin. */
export const cellNumber = (degrees: number): number => Math.floor(degrees / SIDE + 1e-9);

/** How many cells two places are apart, in rows or columns, whichever is more. */
export const cellsApart = (one: Place, other: Place): number =>
  Math.max(
    Math.abs(cellNumber(one.latitude) - cellNumber(other.latitude)),
    Math.abs(cellNumber(one.longitude) - cellNumber(other.longitude)),
  );
