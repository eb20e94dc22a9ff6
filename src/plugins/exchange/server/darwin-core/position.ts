/** The position of an occurrence, and whether it is in its country. */
import type { Body } from '../../../objects/server/declare/objects';
import { countryOf, countryOfCode, whereabouts } from '../package/country';
import type { TableRow } from '../package/row';
import type { SiteFields } from '../package/dataset';
import { meaning } from '../vocabularies/vocabulary';
import { decimal } from './values';

/** The names of the fields of a position. */
const LATITUDE = 'latitude';
const LONGITUDE = 'longitude';
const UNCERTAINTY = 'coordinate_uncertainty';

/** Namibia's code, which R writes where there is no value. */
const NAMIBIA = 'NA';

/** What is known of the place of an occurrence. */
export interface OccurrencePosition {
  readonly body: Body;
  readonly country: string | null;
  /** The terms under which a position that is left out is kept. */
  readonly verbatim: Readonly<Record<string, string>>;
  /**
   * Of a position with a country: whether it is there, or only with its latitude and longitude swapped. Null where
   * nothing is known.
   */
  readonly place: 'there' | 'swapped' | null;
}

const FIELDS = [LATITUDE, LONGITUDE, UNCERTAINTY] as const;

/** Latitude, longitude and uncertainty: all that is certain, and no part of a position that is not. */
export function readPosition(row: TableRow, declared: SiteFields['declared']): OccurrencePosition {
  const terms = FIELDS.map((name) => declared.get(name)?.term ?? name);
  const [latitude = null, longitude = null, uncertainty = null] = FIELDS.map((name, at) => {
    const bounds = declared.get(name) ?? { min: null, max: null };
    return decimal(row, terms[at] ?? name, bounds, { isDegrees: at < 2 });
  });
  const leave = (column: string | undefined, reason: string): OccurrencePosition => {
    if (column !== undefined) row.refuse(column, reason);
    return { body: {}, country: countryIn(row, null), verbatim: leftOut(row), place: null };
  };
  const [latitudeTerm, longitudeTerm] = terms;
  if (latitude === null && longitude === null) return leave(undefined, '');
  if (latitude === null || longitude === null)
    return leave(
      latitude === null ? latitudeTerm : longitudeTerm,
      'is missing, and the position left out',
    );
  const datum = row.text('geodeticDatum');
  if (datum !== null && !isWgs84(datum))
    return leave('geodeticDatum', 'is not WGS 84, and the position left out');
  if (latitude === 0 && longitude === 0)
    return leave(latitudeTerm, 'is 0, as is the longitude: no position, and left out');
  const country = countryIn(row, [latitude, longitude]);
  const body = { [LATITUDE]: latitude, [LONGITUDE]: longitude, [UNCERTAINTY]: uncertainty };
  return { body, country, verbatim: {}, place: placeOf(row, latitude, longitude, country) };
}

/** A datum within two meters of WGS 84, by a name or by its number in the EPSG register. */
function isWgs84(datum: string): boolean {
  const number = /epsg\D*(?:0\D+)?(\d{4,5})\b/i.exec(datum)?.[1];
  return (
    meaning('datum', datum) !== null ||
    (number !== undefined && meaning('datum', `EPSG:${number}`) !== null)
  );
}

/** Tells of a position that is not in its country. */
function placeOf(
  row: TableRow,
  latitude: number,
  longitude: number,
  country: string | null,
): OccurrencePosition['place'] {
  if (country === null) return null;
  const where = whereabouts(latitude, longitude, country);
  if (where.is === 'unknown') return null;
  if (where.is === 'there') return 'there';
  const column = 'decimalLatitude';
  if (where.is === 'elsewhere') {
    row.tell(column, `and longitude lie in ${where.country}, and not in ${country}`);
    return null;
  }
  row.tell(column, `and longitude lie in ${country} only when they are swapped`);
  return 'swapped';
}

/** The country of a row by its code, else by its name. */
function countryIn(row: TableRow, position: readonly [number, number] | null): string | null {
  const name = row.peek('country');
  const named = name === null ? null : countryOf(name);
  if (row.raw('countryCode').toUpperCase() === NAMIBIA) {
    const isThere = position !== null && whereabouts(...position, NAMIBIA).is === 'there';
    if (named !== NAMIBIA && !isThere) return named;
    row.take('countryCode');
    return NAMIBIA;
  }
  const text = row.text('countryCode');
  const code = text === null ? null : countryOfCode(text);
  if (text !== null && code === null) row.refuse('countryCode', 'is no country code of ISO 3166-1');
  if (code === null && named === null && name !== null && text === null)
    row.tell('country', 'is the name of no country on the lists');
  return code ?? named;
}

/** What a row says of its position, under the terms for what is not in use, as far as the row does not use them itself. */
function leftOut(row: TableRow): Record<string, string> {
  const [latitude, longitude] = ['decimalLatitude', 'decimalLongitude'].map((term) =>
    row.peek(term),
  );
  row.release('geodeticDatum', 'coordinateUncertaintyInMeters');
  if (latitude === null && longitude === null) return {};
  row.take('decimalLatitude', 'decimalLongitude');
  return verbatimPosition(latitude ?? '', longitude ?? '', (term) => row.peek(term) !== null);
}

/** Coordinates under the terms of Darwin Core for those as they were given. @param isUsed whether a term has a value */
export function verbatimPosition(
  latitude: string,
  longitude: string,
  isUsed: (term: string) => boolean,
): Record<string, string> {
  const apart = { verbatimLatitude: latitude, verbatimLongitude: longitude };
  const given = Object.entries(apart).filter(([, text]) => text !== '');
  if (!Object.keys(apart).some(isUsed)) return Object.fromEntries(given);
  const together = isUsed('verbatimCoordinates') ? 'decimalCoordinates' : 'verbatimCoordinates';
  return { [together]: `${latitude} ${longitude}`.trim() };
}
