/**
 * What strangers are given of an encounter whose position is not open: one function for each field, used by the read,
 * by what is kept for lists and searches, and by figures (contract, section 6, "Location privacy").
 */
import { parseTime } from '../../../core/time';
import type { CustomField, Region } from '../../../plugins/objects/server/site';

/** How precisely a stranger is told where and when it was, where that is not as it is stored. */
export type Level = 'obscured' | 'private';

/** Units of a degree, and of the side of a cell: 0.2°. */
const UNITS = 1e7;
const SIDE = 2e6;
/** The last cell of each axis: 90 and 180 degrees belong to it. */
const LAST = { latitude: 449, longitude: 899 } as const;

/** Metres: the mean radius of the Earth (IUGG). */
const RADIUS = 6_371_008.8;
/** Characters of a year and of a month in a time. */
const PRECISION: Readonly<Record<Level, number>> = { obscured: 7, private: 4 };

/** The number of a cell on one axis. @param degrees WGS 84 */
const cellOf = (axis: keyof typeof LAST, degrees: number): number =>
  Math.min(Math.floor(Math.round(degrees * UNITS) / SIDE), LAST[axis]);

/** Tenths of a degree are what divides exactly: the centre of a cell, and its edges. */
const centreOf = (cell: number): number => (2 * cell + 1) / 10;
const edgesOf = (cell: number): readonly [number, number] => [cell / 5, (cell + 1) / 5];

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres between two positions, on a sphere (haversine). */
function distance(
  [latitude, longitude]: readonly [number, number],
  [otherLatitude, otherLongitude]: readonly [number, number],
): number {
  const [from, to] = [radians(latitude), radians(otherLatitude)];
  const half = (angle: number): number => Math.sin(angle / 2) ** 2;
  const chord =
    half(to - from) + Math.cos(from) * Math.cos(to) * half(radians(otherLongitude - longitude));
  return 2 * RADIUS * Math.asin(Math.sqrt(chord));
}

/** A 0.2° cell: its centre, its edges, and how far its far corner is from the centre, in whole metres rounded up. */
export interface Cell {
  readonly latitude: number;
  readonly longitude: number;
  readonly bounds: Readonly<Record<'west' | 'south' | 'east' | 'north', number>>;
  readonly radius: number;
}

/**
 * The cell that a position falls in, computed with integers, so that it is the same at every request.
 *
 * @param latitude degrees, -90 to 90
 * @param longitude degrees, -180 to 180
 */
export function cellAt(latitude: number, longitude: number): Cell {
  const [row, column] = [cellOf('latitude', latitude), cellOf('longitude', longitude)];
  const centre = [centreOf(row), centreOf(column)] as const;
  const [south, north] = edgesOf(row);
  const [west, east] = edgesOf(column);
  // The corners are in pairs: those of the east are as far as those of the west.
  const radius = Math.max(distance(centre, [south, west]), distance(centre, [north, west]));
  const bounds = { west, south, east, north };
  return { latitude: centre[0], longitude: centre[1], bounds, radius: Math.ceil(radius) };
}

/** Whether a region's box holds a whole cell; a region without a box holds nothing. */
function holds({ bbox }: Region, { bounds }: Cell): boolean {
  if (!bbox) return false;
  const [west, south, east, north] = bbox;
  if (bounds.south < south || bounds.north > north) return false;
  // A box whose west is greater than its east crosses the date line. No cell does.
  return west <= east
    ? bounds.west >= west && bounds.east <= east
    : bounds.west >= west || bounds.east <= east;
}

/** The nearest region, at or above the one with this key, whose box holds a cell. */
function regionHolding(key: string | null, cell: Cell, regions: readonly Region[]): string | null {
  const passed = new Set<string>();
  for (let at = key; at !== null && !passed.has(at);) {
    passed.add(at);
    const region = regions.find(({ id }) => id === at);
    if (region && holds(region, cell)) return region.id;
    at = region?.parent ?? null;
  }
  return null;
}

/** A place as the wire has it; all of it null without a position, in private too. */
export interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Metres. */
  readonly coordinate_uncertainty: number | null;
  readonly location_id: string | null;
}

const NOWHERE: Place = {
  latitude: null,
  longitude: null,
  coordinate_uncertainty: null,
  location_id: null,
};

/** The place of an obscured encounter. A region without a position tells more than a cell does: it is not given. */
export function obscuredPlace(
  { latitude, longitude, coordinate_uncertainty: uncertainty, location_id: region }: Partial<Place>,
  regions: readonly Region[],
): Place {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return NOWHERE;
  const cell = cellAt(latitude, longitude);
  return {
    latitude: cell.latitude,
    longitude: cell.longitude,
    coordinate_uncertainty: Math.max(cell.radius, uncertainty ?? 0),
    location_id: regionHolding(region ?? null, cell, regions),
  };
}

/**
 * A time to the month (obscured) or to the year (private), by the date as it was written down. What is coarser stays;
 * an interval whose ends fall together becomes one. Null for what is no time.
 */
export function generalTime(time: unknown, level: Level): string | null {
  if (typeof time !== 'string') return null;
  const [from = '', to = from] = time.split('/').map((part) => part.slice(0, PRECISION[level]));
  if (from === to) return from;
  // By their offsets, the ends may be in order and their dates may not.
  return parseTime(`${from}/${to}`) ? `${from}/${to}` : `${to}/${from}`;
}

/** The custom fields that are shown of an encounter whose position is not open. */
export function publicCustomFields(
  values: unknown,
  definitions: readonly CustomField[],
): Readonly<Record<string, unknown>> {
  const open = new Set(definitions.filter((one) => one.public_when_obscured).map(({ key }) => key));
  return Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => open.has(key)));
}
