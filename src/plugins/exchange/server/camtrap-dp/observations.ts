import { taxonKey } from '../package/named-taxon';
import { identityOf } from '../package/organisms';
import { parseName } from '../package/scientific-name';
import { verbatimOf } from '../package/verbatim';
import { choiceOf } from '../vocabularies/vocabulary';
import { readEvent, type Event } from './event-time';
import type { Origin } from '../package/fault';
import type { TableRow } from '../package/row';

/** The columns that an observation requires: for its place, its time and its identity. */
export const REQUIRED_OF_OBSERVATIONS = [
  'observationID',
  'deploymentID',
  'eventStart',
  'eventEnd',
  'observationLevel',
  'observationType',
] as const;

export const OBSERVATION_TYPES = [
  'animal',
  'human',
  'vehicle',
  'blank',
  'unknown',
  'unclassified',
] as const;
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

const LEVELS = ['media', 'event'] as const;

/** The choices of the fields of an encounter. */
const SEXES = ['male', 'female', 'unknown'];
const LIFE_STAGES = ['newborn', 'juvenile', 'subadult', 'adult', 'unknown'];

/** The columns whose faults cost their value alone, and not the row. */
const OF_VALUE: ReadonlySet<string> = new Set(['sex', 'lifeStage', 'individualID']);

/** The measurements of an individual, by column, with their units. */
const MEASURED = [
  { column: 'individualPositionRadius', type: 'distance from camera', unit: 'm', min: 0 },
  {
    column: 'individualPositionAngle',
    type: 'angle from camera axis',
    unit: '°',
    min: -90,
    max: 90,
  },
  { column: 'individualSpeed', type: 'speed', unit: 'm/s', min: 0 },
] as const;

export interface Measurement {
  readonly type: string;
  readonly value: number;
  readonly unit: string;
}

/** An animal or a group of animals, as a person or a machine classified it in the media. */
export interface Observation {
  readonly id: string;
  readonly level: (typeof LEVELS)[number];
  readonly deployment: string;
  /** The event's identifier inside the package. */
  readonly event: string | null;
  /** The media file, for an observation at media level. */
  readonly media: string | null;
  readonly time: Event;
  readonly scientificName: string | null;
  readonly individual: string | null;
  readonly count: number | null;
  readonly sex: string | null;
  readonly lifeStage: string | null;
  readonly behavior: string | null;
  /** The person or machine that classified it. */
  readonly classifier: string | null;
  readonly tags: readonly string[];
  readonly remarks: string | null;
  readonly measurements: readonly Measurement[];
  /** What has no field, or could not be read, by column. */
  readonly verbatim: Readonly<Record<string, string>> | null;
  /** The media files of all observations that make this one. */
  readonly allMedia: readonly string[];
}

/** The observation of an encounter, and its place (of several, that of the one whose ID it has). */
export interface Staged {
  readonly observation: Observation;
  readonly origin: Origin;
}

/** The place and time of an observation, as far as they identify its event. */
export interface EventPlace {
  /** Null if unknown, which matches all. */
  readonly deployment: string | null;
  readonly event: string | null;
  readonly media: string | null;
  readonly time: Event | null;
}

/** What is known of an observation whose row is invalid. */
export interface RefusedObservation {
  readonly place: EventPlace;
  /** Its taxon, by `taxonKey`; null if unknown, which matches all. */
  readonly taxon: string | null;
}

/** The `observationType` of a row; null if invalid, with a fault of the row. */
export function readObservationType(row: TableRow): ObservationType | null {
  row.required('observationType');
  return row.oneOf('observationType', OBSERVATION_TYPES);
}

/**
 * A row of `observations` (https://camtrap-dp.tdwg.org/data/#observations) whose type is `animal`.
 *
 * @returns null for an invalid row, whose faults say why
 */
export function readObservation(row: TableRow): Observation | null {
  const id = row.required('observationID');
  const deployment = row.required('deploymentID');
  row.required('observationLevel');
  const level = row.oneOf('observationLevel', LEVELS);
  const time = readEvent(row);
  const event = row.text('eventID');
  // What it is called is not what it is here.
  if (event !== null) row.release('eventID');
  const rest = {
    event,
    media: row.text('mediaID'),
    scientificName: scientificNameOf(row),
    individual: individualOf(row),
    count: row.integer('count', { min: 1 }),
    sex: choiceIn(row, 'sex', 'sex', SEXES),
    lifeStage: choiceIn(row, 'lifeStage', 'life_stage', LIFE_STAGES),
    behavior: row.text('behavior'),
    classifier: row.peek('classifiedBy'),
    tags: row.list('observationTags'),
    remarks: row.text('observationComments'),
    measurements: readMeasurements(row),
  };
  const allMedia = rest.media === null ? [] : [rest.media];
  const isWrong = row.faults.some(({ field }) => !OF_VALUE.has(field));
  if (isWrong || level === null || time === null) return null;
  return { id, level, deployment, time, ...rest, verbatim: verbatimOf(row), allMedia };
}

/** The value that a word of a list means; a word that is on none is a fault. */
function choiceIn(
  row: TableRow,
  column: string,
  field: string,
  choices: readonly string[],
): string | null {
  const text = row.text(column);
  if (text === null) return null;
  return choiceOf(field, choices, text) ?? row.refuse(column, 'is no word on the lists');
}

/** The name of the taxon; what makes an identification uncertain stays in the row. */
function scientificNameOf(row: TableRow): string | null {
  const text = row.text('scientificName');
  if (text === null) return null;
  const { name, qualifier } = parseName(text, true);
  if (name === null || qualifier !== null) row.release('scientificName');
  return name;
}

/** An animal that is known again; `unknown` is none, and `F12|F13` are two. */
function individualOf(row: TableRow): string | null {
  const text = row.text('individualID');
  if (text === null) return null;
  const identity = identityOf(text);
  if (identity.is === 'one') return identity.id;
  if (identity.is === 'nobody') row.release('individualID');
  else row.refuse('individualID', 'names several animals, and an encounter has one');
  return null;
}

/** What an invalid row may have been an observation of. */
export function readRefused(row: TableRow): RefusedObservation {
  const event = row.text('eventID');
  const media = row.text('mediaID');
  const time = event === null && media === null ? readEvent(row) : null;
  const name = scientificNameOf(row);
  const isNamed = !row.faults.some(({ field }) => field === 'scientificName');
  const place = { deployment: row.text('deploymentID'), event, media, time };
  return { place, taxon: isNamed ? taxonKey(name) : null };
}

function readMeasurements(row: TableRow): Measurement[] {
  return MEASURED.flatMap(({ column, type, unit, ...range }) => {
    const value = row.number(column, range);
    return value === null ? [] : [{ type, value, unit }];
  });
}
