/**
 * What strangers are given of an encounter whose position is not open: one function for each field, used by the read,
 * by what is kept for lists and searches, and by figures (contract, section 6, "Location privacy").
 */
import { parseTime } from '../../../core/time';
import { axisCellOf, centreOf, edgesOf } from '../../../core/told-cell';
import type { CustomField, Region } from '../../../plugins/objects/server/site/settings';

/** How precisely a stranger is told where and when it was, where that is not as it is stored. */
export type HiddenLevel = 'obscured' | 'private';

/**
 * Counted up when these functions, or what calls them, make other values of the same encounters: what is kept is made anew
 * then, beside the service (`generalized.ts`, `searched.ts`).
 */
export const GENERALIZATION = 1;

/** Metres: the mean radius of the Earth (IUGG). */
const RADIUS = 6_371_008.8;
/** Characters of a year and of a month in a time. */
const PRECISION: Readonly<Record<HiddenLevel, number>> = { obscured: 7, private: 4 };
/** Milliseconds of an interval that is told as the month or year in which it begins, unless it is as long. */
const DAY = 86_400_000;
const SHORT: Readonly<Record<HiddenLevel, number>> = { obscured: 31 * DAY, private: 366 * DAY };

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
  const [row, column] = [axisCellOf('latitude', latitude), axisCellOf('longitude', longitude)];
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

/** Whether a region's box and a cell have a point in common, be it one of their edges. */
function touches({ bbox }: Region, { bounds }: Cell): boolean {
  if (!bbox) return false;
  const [west, south, east, north] = bbox;
  if (bounds.north < south || bounds.south > north) return false;
  const meets = (from: number, to: number): boolean => bounds.east >= from && bounds.west <= to;
  // At the date line, 180 and -180 are one meridian.
  const isAtLine = Math.abs(bounds.west) === 180 || Math.abs(bounds.east) === 180;
  const reachesLine = west > east || west === -180 || east === 180;
  if (isAtLine && reachesLine) return true;
  return west <= east ? meets(west, east) : meets(west, 180) || meets(-180, east);
}

/** A region and those above it, the nearest first. */
function lineOf(key: string | null, regions: readonly Region[]): readonly Region[] {
  const line: Region[] = [];
  for (let at = key; at !== null;) {
    const region = regions.find(({ id }) => id === at);
    if (!region || line.includes(region)) break;
    line.push(region);
    at = region.parent;
  }
  return line;
}

/**
 * The region that is told of a cell: of those at or above the one with this key, the nearest whose box holds the whole cell,
 * where each region that touches the cell is above or below it. So every place of a cell is told alike.
 */
function regionOf(key: string | null, cell: Cell, regions: readonly Region[]): string | null {
  const near = regions.filter((region) => touches(region, cell));
  const isInLine = (region: Region): boolean => {
    const above = lineOf(region.id, regions);
    return near.every((one) => above.includes(one) || lineOf(one.id, regions).includes(region));
  };
  const told = lineOf(key, regions).find((region) => holds(region, cell) && isInLine(region));
  return told?.id ?? null;
}

/** Metres to the other side of the Earth, the most that a position may be uncertain. */
const FARTHEST = 20_037_509;

/** The least of 1, 2 and 5 times a power of ten that is not less: an exact one would be a mark of its record. */
function roundedUp(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const step = [1, 2, 5, 10].find((times) => times * power >= metres) ?? 10;
  return Math.min(step * power, FARTHEST);
}

/** A place as the wire has it; all of it null without a position, in private too. */
export interface WirePlace {
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Metres. */
  readonly coordinate_uncertainty: number | null;
  readonly location_id: string | null;
}

const NOWHERE: WirePlace = {
  latitude: null,
  longitude: null,
  coordinate_uncertainty: null,
  location_id: null,
};

/** The place of an obscured encounter. A region without a position tells more than a cell does: it is not given. */
export function obscuredPlace(
  {
    latitude,
    longitude,
    coordinate_uncertainty: uncertainty,
    location_id: region,
  }: Partial<WirePlace>,
  regions: readonly Region[],
): WirePlace {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return NOWHERE;
  const cell = cellAt(latitude, longitude);
  return {
    latitude: cell.latitude,
    longitude: cell.longitude,
    coordinate_uncertainty:
      (uncertainty ?? 0) > cell.radius ? roundedUp(uncertainty ?? 0) : cell.radius,
    location_id: regionOf(region ?? null, cell, regions),
  };
}

/**
 * A time to the month (obscured) or to the year (private), by the date as it was written down. What is coarser stays;
 * an interval whose ends fall together becomes one, and so does one that is shorter: the border of two months would tell
 * the night. Null for what is no time.
 */
export function generalTime(time: unknown, level: HiddenLevel): string | null {
  if (typeof time !== 'string') return null;
  const [from = '', to = from] = time.split('/').map((part) => part.slice(0, PRECISION[level]));
  const span = parseTime(time);
  if (from === to || (span && span.end + 1 - span.start < SHORT[level])) return from;
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
