/** The position of an occurrence. */
import type { Body } from '../../../objects/server/types';
import type { Row } from '../package/row';
import type { SiteFields } from '../package/dataset';
import { decimal } from './values';
import { plain } from './vocabulary';

/** The names of WGS 84, and of datums that differ from it by less than two meters; folded as by `plain`. */
const WGS_84: ReadonlySet<string> = new Set([
  ...['wgs84', 'wgs1984', 'wgs84epsg4326', 'epsg4326', 'worldgeodeticsystem1984', '4326'],
  ...['etrs89', 'epsg4258', 'nad83', 'epsg4269', 'gda94', 'epsg4283', 'gda2020', 'epsg7844'],
  // What Darwin Core recommends where it is not recorded.
  ...['notrecorded', 'unknown'],
]);

/** The names of the fields of a position. */
const LATITUDE = 'latitude';
const LONGITUDE = 'longitude';
const UNCERTAINTY = 'coordinate_uncertainty';

/** Latitude, longitude and uncertainty: all that is certain, and no part of a position that is not. */
export function readPosition(row: Row, declared: SiteFields['declared']): Body {
  const read = (name: string, isDegrees: boolean): number | null => {
    const field = declared.get(name);
    return field?.term ? decimal(row, field.term, field, { isDegrees }) : null;
  };
  const termOf = (name: string): string => declared.get(name)?.term ?? name;
  const latitude = read(LATITUDE, true);
  const longitude = read(LONGITUDE, true);
  const uncertainty = read(UNCERTAINTY, false);
  if (latitude === null && longitude === null) return {};
  if (latitude === null || longitude === null) {
    const absent = latitude === null ? LATITUDE : LONGITUDE;
    row.refuse(termOf(absent), 'is missing, and the position left out');
    return {};
  }
  const datum = row.text('geodeticDatum');
  if (datum !== null && !WGS_84.has(plain(datum))) {
    row.refuse('geodeticDatum', 'is not WGS 84, and the position left out');
    return {};
  }
  return { [LATITUDE]: latitude, [LONGITUDE]: longitude, [UNCERTAINTY]: uncertainty };
}
