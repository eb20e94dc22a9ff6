/** The encounter of an occurrence. */
import { isUuid } from '../../../../core/formats';
import type { Body } from '../../../objects/server/types';
import type { Organism } from '../package/dataset';
import { eventId, known } from '../package/encounter-body';
import type { Origin } from '../package/fault';
import { licenseAt, licenseNamed, type License } from '../package/license';
import type { Row } from '../package/row';
import type { ImportedField, SiteFields } from '../package/dataset';
import type { PackageTaxon } from '../package/taxa';
import { readTime } from './event-date';
import { readProperties, readSaid, type Fact } from './facts';
import { ID_COLUMN } from './meta';
import { readPosition } from './position';
import { readTaxon } from './taxon';
import { decimal, hasColumn, list, readValue, whole } from './values';
import { choiceOf, plain } from './vocabulary';

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
  readonly origin: Origin;
}

type Declared = SiteFields['declared'];

/** Characters of a source. */
const MAX_SOURCE = 255;

/** The field of the location privacy. */
const PRIVACY = 'location_privacy';

/** The fields that are not read by their kind and term alone. */
const OWN_WAY: ReadonlySet<string> = new Set([
  ...['latitude', 'longitude', 'coordinate_uncertainty', 'elevation', 'depth', 'locality'],
  ...['group_size', 'remarks', 'verbatim_time', 'license', 'source', 'external_id'],
  PRIVACY,
]);

/** The ID of an occurrence: `occurrenceID`, which is unique, else that of its row; null without one. */
export const idOf = (row: Row): string | null => row.text('occurrenceID') ?? row.text(ID_COLUMN);

/** The source of an occurrence. @param source that of its archive */
export const sourceOf = (row: Row, source: string): string =>
  (row.text('datasetID') ?? source).slice(0, MAX_SOURCE);

/** Whether the animal was looked for and not found. */
export function isAbsent(row: Row): boolean {
  const status = row.text('occurrenceStatus');
  return status === null ? row.text('individualCount') === '0' : plain(status) === 'absent';
}

/** Reads a row of occurrences. Values that are not certain are left out, and are faults of the row. */
export function readOccurrence(
  row: Row,
  id: string,
  archive: ArchiveFacts,
  site: SiteFields,
): Occurrence {
  const source = sourceOf(row, archive.source);
  const coreId = row.text(ID_COLUMN);
  const { time, verbatim } = readTime(row);
  const said = readSaid(row);
  const properties = readProperties(row, site.custom);
  const ranges = ['Elevation', 'Depth'].map((name) => readRange(row, name, site.declared));
  const event = row.text('eventID');
  const region = row.text('locationID');
  const body = known(plainValues(row, archive, site.declared), readPosition(row, site.declared), {
    time,
    verbatim_time: verbatim,
    elevation: ranges[0]?.value,
    depth: ranges[1]?.value,
    locality: row.text('verbatimLocality') ?? row.text('locality'),
    location_privacy: privacyOf(row, site.declared),
    location_id: region !== null && site.regions.has(region) ? region : null,
    group_size: groupSizeOf(row, site.declared),
    remarks: remarksOf(row, said.remarks),
    license: licenseOf(row) ?? archive.license,
    event_id: event === null ? null : isUuid(event) ? event.toLowerCase() : eventId(source, event),
    source,
    external_id: id,
    custom_fields: Object.keys(properties.custom).length > 0 ? properties.custom : null,
  });
  return {
    source,
    id,
    coreId: coreId === id ? null : coreId,
    body,
    facts: [...ranges.flatMap(({ facts }) => facts), ...said.facts, ...properties.facts],
    taxon: readTaxon(row),
    organism: organismOf(row),
    media: list(row, 'associatedMedia', archive.separators.get('associatedMedia') ?? null),
    origin: { file: row.file, line: row.line },
  };
}

/** The fields that the declaration describes completely: those whose kind is read from the column of their term. */
function plainValues(row: Row, { separators }: ArchiveFacts, declared: Declared): Body {
  const values: Record<string, unknown> = {};
  for (const field of declared.values()) {
    if (field.derived || OWN_WAY.has(field.name) || !hasColumn(field)) continue;
    values[field.name] = readValue(row, field, separators.get(field.term ?? '') ?? null);
  }
  return values;
}

/** The location privacy in an archive of this service. Other programs write other access rights into the column. */
function privacyOf(row: Row, declared: Declared): string | null {
  const { name = '', term, choices } = declared.get(PRIVACY) ?? {};
  return choiceOf(name, choices ?? [], row.text(term ?? '') ?? '');
}

/** The bounds of a declared field. */
const boundsOf = (declared: Declared, name: string): Pick<ImportedField, 'min' | 'max'> =>
  declared.get(name) ?? { min: null, max: null };

/** A height or depth. One of which only a range is known has no value, and its ends are kept as facts. */
function readRange(
  row: Row,
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
function groupSizeOf(row: Row, declared: Declared): number | null {
  const bounds = boundsOf(declared, 'group_size');
  if (row.text('individualCount') !== null) return whole(row, 'individualCount', bounds);
  const isIndividuals = plain(row.text('organismQuantityType') ?? '') === 'individuals';
  return isIndividuals ? whole(row, 'organismQuantity', bounds) : null;
}

function remarksOf(row: Row, said: readonly string[]): string | null {
  const parts = [row.text('occurrenceRemarks'), row.text('eventRemarks'), ...said];
  return [...new Set(parts.filter((part) => part !== null))].join('\n') || null;
}

function licenseOf(row: Row): License | null {
  const text = row.text('license') ?? row.text('rights');
  if (text === null) return null;
  const license = licenseNamed(text) ?? licenseAt(text);
  return license ?? row.refuse('license', 'is none of the licenses that records can have');
}

function organismOf(row: Row): Organism | null {
  const column = row.text('organismID') === null ? 'individualID' : 'organismID';
  const id = row.text(column);
  const name = row.text('organismName');
  if (id !== null) return { id, name, remarks: row.text('organismRemarks'), column };
  if (name !== null)
    row.refuse('organismName', 'identifies no animal for certain without an organismID');
  return null;
}
