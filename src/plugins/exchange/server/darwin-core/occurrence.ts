/** The encounter of an occurrence. */
import { isUuid } from '../../../../core/formats';
import { isMalformedText } from '../../../../core/text';
import { asRecord } from '../package/json';
import type { Body } from '../../../objects/server/declare/objects';
import type { Organism } from '../package/dataset';
import { eventId, known } from '../package/encounter-body';
import type { Origin } from '../package/fault';
import { licenseAt, licenseNamed, type License } from '../package/license';
import type { TableRow } from '../package/row';
import type { ImportedField, SiteFields } from '../package/dataset';
import type { PackageTaxon } from '../package/named-taxon';
import { readTime } from './event-date';
import { readProperties, readSaid, type Fact } from './facts';
import { ID_COLUMN } from './meta';
import { identityOf } from '../package/organisms';
import { verbatimOf } from '../package/verbatim';
import { choiceOf, foldWord, meaning } from '../vocabularies/vocabulary';
import { readPosition, type OccurrencePosition } from './position';
import { readTaxon } from './taxon';
import { decimal, hasColumn, listOfCell, readValue, wholeOfCell } from './values';

/** The common part of all occurrences of an archive. */
export interface ArchiveFacts {
  /** The source of the occurrences that name no dataset. */
  readonly source: string;
  /** The license of those that have none. */
  readonly license: License | null;
  /** The separators of lists in cells, by term. */
  readonly separators: ReadonlyMap<string, string>;
}

/** An encounter, without its taxon and with its origin; measurements of the extension come later. */
export interface Occurrence {
  readonly source: string;
  readonly id: string;
  /** The ID of the row for extensions, if it is another. */
  readonly coreId: string | null;
  readonly body: Body;
  readonly facts: readonly Fact[];
  readonly taxon: PackageTaxon | null;
  readonly organism: Organism | null;
  /** Paths and addresses of files. */
  readonly media: readonly string[];
  /** What has no field, or could not be read, by term. */
  readonly verbatim: Readonly<Record<string, string>> | null;
  /** Where its position lies, seen from its country. */
  readonly place: OccurrencePosition['place'];
  readonly origin: Origin;
}

type Declared = SiteFields['declared'];

/** Characters of a source. */
const MAX_SOURCE = 255;

/** The field of the kind of evidence. */
const BASIS = 'basis_of_record';

/** The field of the location privacy. */
const PRIVACY = 'location_privacy';

/** The fields that are not read by their kind and term alone. */
const OWN_WAY: ReadonlySet<string> = new Set([
  ...['latitude', 'longitude', 'coordinate_uncertainty', 'elevation', 'depth', 'locality'],
  ...['group_size', 'remarks', 'verbatim_time', 'license', 'source', 'external_id'],
  ...['country_code', 'verbatim', PRIVACY],
]);

/** The terms that together identify a specimen. */
const TRIPLET = ['institutionCode', 'collectionCode', 'catalogNumber'] as const;

/**
 * The ID of an occurrence: `occurrenceID`, which is unique, else that of its row, else that of GBIF, else its
 * institution, collection and catalog number; null without one.
 *
 * @param isOfOther whether the ID of the row is that of the row of another table
 */
export function idOf(row: TableRow, isOfOther = false): string | null {
  const own = row.text('occurrenceID') ?? (isOfOther ? null : row.text(ID_COLUMN));
  if (own !== null) return own;
  const gbif = row.text('gbifID');
  if (gbif !== null) return gbif;
  const parts = TRIPLET.map((term) => row.peek(term));
  const [institution = null, , number = null] = parts;
  return institution === null || number === null ? null : parts.map((part) => part ?? '').join(':');
}

/** The source of an occurrence: its dataset, by the publisher or by GBIF. @param source that of its archive */
export const sourceOf = (row: TableRow, source: string): string =>
  (row.text('datasetID') ?? row.text('datasetKey') ?? source).slice(0, MAX_SOURCE);

/** Whether the animal was looked for and not found. An unknown word for it is a fault. */
export function isAbsence(row: TableRow): boolean {
  const status = row.text('occurrenceStatus');
  const count = row.peek('individualCount') ?? '';
  if (status === null) return /^0+(?:[.,]0*)?$/.test(count);
  const meant = meaning('occurrence_status', status);
  if (meant === null) row.refuse('occurrenceStatus', 'is no word for presence or absence');
  return meant === 'absent';
}

/** Reads a row of occurrences. Values that are not certain are left out, and are faults of the row. */
export function readOccurrence(
  row: TableRow,
  id: string,
  archive: ArchiveFacts,
  site: SiteFields,
): Occurrence {
  const source = sourceOf(row, archive.source);
  const coreId = row.text(ID_COLUMN);
  const { time, verbatim } = readTime(row);
  const said = readSaid(row);
  const properties = readProperties(row, site.custom);
  const position = readPosition(row, site.declared);
  const license = licenseOf(row);
  const ranges = ['Elevation', 'Depth'].map((name) => readRange(row, name, site.declared));
  const event = row.text('eventID');
  const region = row.peek('locationID');
  const isRegion = region !== null && site.regions.has(region);
  if (isRegion) row.take('locationID');
  // What it is called is not what it is here.
  if (event !== null && !isUuid(event)) row.release('eventID');
  const values = plainValues(row, archive, site.declared);
  const body = known(values, position.body, {
    time,
    verbatim_time: verbatim,
    elevation: ranges[0]?.value,
    depth: ranges[1]?.value,
    locality: row.text('verbatimLocality') ?? row.text('locality'),
    location_privacy: privacyOf(row, site.declared),
    location_id: isRegion ? region : null,
    country_code: position.country,
    group_size: groupSizeOf(row, site.declared),
    remarks: remarksOf(row, said.remarks),
    license: license === undefined ? archive.license : license,
    event_id: event === null ? null : isUuid(event) ? event.toLowerCase() : eventId(source, event),
    source,
    external_id: id,
    tags: properties.tags,
    custom_fields: Object.keys(properties.custom).length > 0 ? properties.custom : null,
  });
  const taxon = named(readTaxon(row), properties.vernacularNames);
  const kept = readVerbatim(row);
  const organism = organismOf(row);
  const media = listOfCell(
    row,
    'associatedMedia',
    archive.separators.get('associatedMedia') ?? null,
  );
  return {
    source,
    id,
    coreId: coreId === id ? null : coreId,
    // An unknown basis is null, and not what is usual.
    body: { ...body, [BASIS]: values[BASIS] ?? null },
    facts: [...ranges.flatMap(({ facts }) => facts), ...said.facts, ...properties.facts],
    taxon,
    organism,
    media,
    verbatim: verbatimOf(row, kept, position.verbatim),
    place: position.place,
    origin: { file: row.file, line: row.line },
  };
}

/** A taxon with names in further languages. */
const named = (
  taxon: PackageTaxon | null,
  names: Readonly<Record<string, string>>,
): PackageTaxon | null =>
  taxon && {
    ...taxon,
    // Its own come first, and are never replaced.
    vernacularNames: { ...taxon.vernacularNames, ...names, ...taxon.vernacularNames },
  };

/**
 * What an archive of this service has kept under terms that are no columns. What is no text, or one that the API would
 * refuse, is kept as JSON writes it, and told.
 */
function readVerbatim(row: TableRow): Readonly<Record<string, string>> {
  const text = row.text('verbatim');
  if (text === null) return {};
  try {
    const entries = Object.entries(asRecord(JSON.parse(text)));
    const isUsable = (value: unknown): value is string =>
      typeof value === 'string' && !isMalformedText(value);
    const asText = (value: unknown): string => (isUsable(value) ? value : JSON.stringify(value));
    if (!entries.flat().every(isUsable)) row.tell('verbatim', 'has values that are no texts');
    return Object.fromEntries(entries.map(([term, value]) => [asText(term), asText(value)]));
  } catch {
    row.release('verbatim');
    return {};
  }
}

/** The fields that the declaration describes completely: those whose kind is read from the column of their term. */
function plainValues(row: TableRow, { separators }: ArchiveFacts, declared: Declared): Body {
  const values: Record<string, unknown> = {};
  for (const field of declared.values()) {
    if (field.derived || OWN_WAY.has(field.name) || !hasColumn(field)) continue;
    values[field.name] = readValue(row, field, separators.get(field.term ?? '') ?? null);
  }
  return values;
}

/** The location privacy in an archive of this service. Other programs write other access rights into the column. */
function privacyOf(row: TableRow, declared: Declared): string | null {
  const { name = '', term = null, choices = [] } = declared.get(PRIVACY) ?? {};
  const text = term === null ? null : row.peek(term);
  const privacy = text === null ? null : choiceOf(name, choices, text);
  if (term !== null && privacy !== null) row.take(term);
  return privacy;
}

/** The bounds of a declared field. */
const boundsOf = (declared: Declared, name: string): Pick<ImportedField, 'min' | 'max'> =>
  declared.get(name) ?? { min: null, max: null };

/** A height or depth. One of which only a range is known has no value, and its ends are kept as facts. */
function readRange(
  row: TableRow,
  name: string,
  declared: Declared,
): { readonly value: number | null; readonly facts: readonly Fact[] } {
  const bounds = boundsOf(declared, name.toLowerCase());
  const terms = [`minimum${name}InMeters`, `maximum${name}InMeters`];
  const ends = terms.map((term) => ({ term, value: decimal(row, term, bounds) }));
  const [low, high] = ends.map(({ value }) => value);
  if (typeof low !== 'number' || typeof high !== 'number' || low === high)
    return { value: low ?? high ?? null, facts: [] };
  return {
    value: null,
    facts: ends.map(({ term, value }) => ({ type: term, value: value ?? 0, unit: 'm' })),
  };
}

/** `individualCount`, or a quantity of individuals. */
function groupSizeOf(row: TableRow, declared: Declared): number | null {
  const bounds = boundsOf(declared, 'group_size');
  if (row.text('individualCount') !== null) return wholeOfCell(row, 'individualCount', bounds);
  if (foldWord(row.peek('organismQuantityType') ?? '') !== 'individuals') return null;
  row.take('organismQuantityType');
  return wholeOfCell(row, 'organismQuantity', bounds);
}

function remarksOf(row: TableRow, said: readonly string[]): string | null {
  const parts = [row.text('occurrenceRemarks'), row.text('eventRemarks'), ...said];
  return [...new Set(parts.filter((part) => part !== null))].join('\n') || null;
}

/** The license of the row; undefined where it has none of its own, null where it is none that records can have. */
function licenseOf(row: TableRow): License | null | undefined {
  const column = row.peek('license') === null ? 'rights' : 'license';
  const text = row.text(column);
  if (text === null) return undefined;
  const license = licenseNamed(text) ?? licenseAt(text);
  return license ?? row.refuse(column, 'is none of the licenses that records can have');
}

function organismOf(row: TableRow): Organism | null {
  const column = row.peek('organismID') === null ? 'individualID' : 'organismID';
  const text = row.text(column);
  const called = row.text('organismName');
  const isName = called !== null && meaning('nobody', called) === null;
  if (called !== null && !isName) row.release('organismName');
  const name = isName ? called : null;
  const identity = text === null ? null : identityOf(text);
  if (identity?.is === 'one')
    return { id: identity.id, name, remarks: row.text('organismRemarks'), column };
  if (identity?.is === 'several')
    row.refuse(column, 'names several animals, and an encounter has one');
  else row.release(column);
  if (name !== null)
    row.refuse('organismName', 'identifies no animal for certain without an organismID');
  return null;
}
