/** The tables of a Camtrap DP 1.0 (https://camtrap-dp.tdwg.org/data/), and what of an encounter is in their rows. */
import { v5 as uuidV5 } from 'uuid';
import type { Field } from '../../../plugins/objects/server/define/completed';
import type { Body } from '../../../plugins/objects/server/types';
import type { Occurrence } from '../darwin-core/occurrences';
import type { Source } from '../source';
import { eventOf, instantOf, type Event } from './instants';
import type { Deployment } from './store';

export const DEPLOYMENT_COLUMNS = [
  ...['deploymentID', 'locationName', 'latitude', 'longitude', 'coordinateUncertainty'],
  ...['cameraDepth', 'deploymentStart', 'deploymentEnd'],
];

export const MEDIA_COLUMNS = [
  ...['mediaID', 'deploymentID', 'timestamp', 'filePath', 'filePublic', 'fileName'],
  'fileMediatype',
];

/** Of measurements, by type and unit: those that an import of a package makes of the same columns. */
const MEASURED: Readonly<Record<string, string>> = {
  individualPositionRadius: 'distance from camera m',
  individualPositionAngle: 'angle from camera axis °',
  individualSpeed: 'speed m/s',
};

export const OBSERVATION_COLUMNS = [
  ...['observationID', 'deploymentID', 'eventID', 'eventStart', 'eventEnd', 'observationLevel'],
  ...['observationType', 'scientificName', 'count', 'lifeStage', 'sex', 'behavior', 'individualID'],
  ...Object.keys(MEASURED),
  ...['observationTags', 'observationComments'],
];

/** The values of the standard; others, such as `unknown`, are left out. */
const LIFE_STAGES: ReadonlySet<unknown> = new Set(['adult', 'subadult', 'juvenile']);
const SEXES: ReadonlySet<unknown> = new Set(['female', 'male']);

/** The namespace of the UUIDs of deployments: the same place is the same deployment in every package. */
const DEPLOYMENTS = '0c0f7f9e-60f5-4b7f-9a8e-0a3f5d1e4c26';

/** A value of an object by the Darwin Core term of its field. */
export type ByTerm = (term: string) => unknown;

/** An encounter that a camera has recorded: with a place as it is stored, and a time to the minute. */
export interface Sighting {
  readonly id: unknown;
  readonly event: Event;
  readonly deployment: Deployment;
  readonly by: ByTerm;
  readonly occurrence: Occurrence;
}

/** @returns null for an encounter that a package cannot hold */
export function sightingOf(occurrence: Occurrence, fields: readonly Field[]): Sighting | null {
  const { object } = occurrence;
  const by = readerBy(object, fields);
  const event = eventOf(by('eventDate'));
  const [latitude, longitude] = [by('decimalLatitude'), by('decimalLongitude')];
  const isExact = by('dataGeneralizations') === null;
  const isCamera = by('basisOfRecord') === 'machine_observation';
  if (!isExact || !isCamera || !event) return null;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  const deployment = deploymentAt(latitude, longitude, by);
  return { id: object['id'], event, deployment, by, occurrence };
}

const readerBy =
  (object: Body, fields: readonly Field[]): ByTerm =>
  (term) => {
    const field = fields.find((one) => one.term === term);
    return field ? (object[field.name] ?? null) : null;
  };

function deploymentAt(latitude: number, longitude: number, by: ByTerm): Deployment {
  const uncertainty = by('coordinateUncertaintyInMeters');
  const depth = by('minimumDepthInMeters');
  const place = [
    by('verbatimLocality'),
    latitude,
    longitude,
    typeof uncertainty === 'number' ? Math.max(1, Math.ceil(uncertainty)) : null,
    typeof depth === 'number' && depth >= 0 ? depth : null,
  ];
  const id = uuidV5(JSON.stringify(place), DEPLOYMENTS);
  return { id, latitude, longitude, row: [id, ...place] };
}

/** The row of an observation. @param tags those of the encounter */
export function observationRow({ id, event, deployment, by, occurrence }: Sighting): unknown[] {
  const measured = (by('MeasurementOrFact') ?? []) as readonly Body[];
  const scientificName = occurrence.taxa.at(-1)?.['scientific_name'] ?? null;
  const one = (value: unknown, known: ReadonlySet<unknown>): unknown =>
    known.has(value) ? value : null;
  return [
    ...[id, deployment.id, by('eventID'), event.start, event.end, 'event', 'animal'],
    ...[scientificName, by('individualCount'), one(by('lifeStage'), LIFE_STAGES)],
    ...[one(by('sex'), SEXES), by('behavior'), by('organismID')],
    ...Object.values(MEASURED).map(
      (kind) =>
        measured.find(
          ({ type, unit, value }) =>
            typeof value === 'number' && `${String(type)} ${String(unit)}` === kind,
        )?.['value'] ?? null,
    ),
    ((occurrence.object['tags'] ?? []) as readonly string[]).join('|'),
    by('occurrenceRemarks'),
  ];
}

/** The rows of its photographs, by their IDs. */
export function mediaRows(
  { event, deployment, by, occurrence }: Sighting,
  { publicUrl, site }: Pick<Source, 'publicUrl' | 'site'>,
): [string, unknown[]][] {
  const isPublic =
    site.readers === 'anyone' && by('identificationVerificationStatus') === 'approved';
  return occurrence.photographs.map((one) => {
    const taken = typeof one['taken_at'] === 'string' ? instantOf(one['taken_at']) : null;
    const address = `${publicUrl}${String(one['path'])}`;
    const id = String(one['id']);
    return [
      id,
      [
        ...[id, deployment.id, taken ?? event.start, address, isPublic],
        ...[one['filename'], one['mime_type']],
      ],
    ];
  });
}

/** A taxon as the metadata list it. */
export function taxonOf(line: readonly Body[]): Body | null {
  const taxon = line.at(-1);
  if (!taxon) return null;
  const ranks = ['kingdom', 'phylum', 'class', 'order', 'family', 'genus'];
  const higher = ranks.map((rank): [string, unknown] => [
    rank,
    line.slice(0, -1).find((one) => one['rank'] === rank)?.['scientific_name'],
  ]);
  const key = taxon['gbif_key'];
  const optional: [string, unknown][] = [
    ['taxonID', typeof key === 'number' ? `https://www.gbif.org/species/${key}` : null],
    ['taxonRank', taxon['rank']],
    ['vernacularNames', taxon['vernacular_names']],
    ...higher,
  ];
  const known = optional.filter(([, value]) => value !== null && value !== undefined);
  return { scientificName: taxon['scientific_name'], ...Object.fromEntries(known) };
}
