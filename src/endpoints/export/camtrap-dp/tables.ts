/** The tables of a Camtrap DP 1.0 (https://camtrap-dp.tdwg.org/data/), and what of an encounter is in their rows. */
import { v5 as uuidV5 } from 'uuid';
import type { Field } from '../../../plugins/objects/server/declare/completed';
import { RENDITION_TYPE } from '../../../plugins/objects/server/kinds/renditions';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import { nameInDataset } from '../darwin-core/animal';
import type { ExportedOccurrence } from '../darwin-core/occurrences';
import { calledBy } from '../darwin-core/value';
import { addressesIn, textsOf, verbatimIn } from '../verbatim';
import type { ExportSource } from '../source';
import { eventOf, instantOf, type ExportedEvent } from './instants';
import type { ExportedDeployment } from './store';

/** What imports have kept of a deployment, in columns of the standard. */
const OF_DEPLOYMENT = [
  ...['locationID', 'setupBy', 'cameraID', 'cameraModel', 'cameraDelay', 'cameraHeight'],
  ...['cameraTilt', 'cameraHeading', 'detectionDistance', 'timestampIssues', 'baitUse'],
  ...['featureType', 'habitat', 'deploymentGroups', 'deploymentTags', 'deploymentComments'],
];

/** What imports have kept of an observation, in columns of the standard. */
const OF_OBSERVATION = [
  ...['cameraSetupType', 'bboxX', 'bboxY', 'bboxWidth', 'bboxHeight', 'classificationMethod'],
  ...['classifiedBy', 'classificationTimestamp', 'classificationProbability'],
];

export const DEPLOYMENT_COLUMNS = [
  ...['deploymentID', 'locationName', 'latitude', 'longitude', 'coordinateUncertainty'],
  ...['cameraDepth', ...OF_DEPLOYMENT, 'deploymentStart', 'deploymentEnd'],
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
  ...['observationTags', 'observationComments', ...OF_OBSERVATION],
];

/** What imports have kept and no table of the standard has a column for; a table of ours beside them. */
export const VERBATIM_COLUMNS = ['observationID', 'term', 'value'];

/** Terms that are in other tables. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['deploymentID', 'deploymentStart', 'deploymentEnd', 'eventID', 'associatedMedia'],
  ...OF_DEPLOYMENT,
  ...OF_OBSERVATION,
]);

/** The rows of an encounter in the table `verbatim`. */
export const verbatimRows = ({ id, verbatim }: Sighting): (readonly [string, string, string])[] =>
  Object.entries(verbatim)
    .filter(([term]) => !ELSEWHERE.has(term))
    .map(([term, value]) => [String(id), term, value]);

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
  readonly event: ExportedEvent;
  readonly deployment: ExportedDeployment;
  readonly by: ByTerm;
  readonly occurrence: ExportedOccurrence;
  /** What an import has kept. */
  readonly verbatim: Readonly<Record<string, string>>;
}

/** What an import of a package, or a person, calls the method. */
const CAMERA_TRAP = /camera\W*trap/i;

/**
 * @returns null for an encounter that a package cannot hold: one without an exact place and time, and one that no camera
 *   has recorded, such as the position of a tag
 */
export function sightingOf(
  occurrence: ExportedOccurrence,
  fields: readonly Field[],
): Sighting | null {
  const { object } = occurrence;
  const by = readerBy(object, fields);
  const event = eventOf(by('eventDate'));
  const [latitude, longitude] = [by('decimalLatitude'), by('decimalLongitude')];
  const isExact = by('dataGeneralizations') === null;
  const verbatim = textsOf(verbatimIn(fields), object);
  const protocol = by('samplingProtocol');
  const isCamera =
    by('basisOfRecord') === 'machine_observation' &&
    (occurrence.photographs.length > 0 ||
      addressesIn(verbatim).length > 0 ||
      (typeof protocol === 'string' && CAMERA_TRAP.test(protocol)));
  if (!isExact || !isCamera || !event) return null;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  const deployment = deploymentAt(latitude, longitude, by, verbatim);
  return { id: object['id'], event, deployment, by, occurrence, verbatim };
}

const readerBy =
  (object: Body, fields: readonly Field[]): ByTerm =>
  (term) => {
    const field = fields.find((one) => one.term === term);
    return field ? (object[field.name] ?? null) : null;
  };

/** The deployment that the source of an import names, else one for each place. */
function deploymentAt(
  latitude: number,
  longitude: number,
  by: ByTerm,
  verbatim: Sighting['verbatim'],
): ExportedDeployment {
  const uncertainty = by('coordinateUncertaintyInMeters');
  const depth = by('minimumDepthInMeters');
  const place = [
    by('verbatimLocality'),
    latitude,
    longitude,
    typeof uncertainty === 'number' ? Math.max(1, Math.ceil(uncertainty)) : null,
    typeof depth === 'number' && depth >= 0 ? depth : null,
  ];
  const kept = OF_DEPLOYMENT.map((column) => verbatim[column] ?? null);
  const { deploymentID, deploymentStart: start = null, deploymentEnd: end = null } = verbatim;
  const source = String(by('datasetID'));
  const ofPlace = uuidV5(JSON.stringify(place), DEPLOYMENTS);
  const key = deploymentID === undefined ? ofPlace : JSON.stringify([source, deploymentID]);
  return {
    id: deploymentID ?? ofPlace,
    key,
    // Where another dataset has a deployment of this ID.
    otherId: uuidV5(key, DEPLOYMENTS),
    latitude,
    longitude,
    row: [...place, ...kept],
    lasted: deploymentID === undefined ? null : { start, end },
  };
}

/** The row of an observation. @param tags those of the encounter */
export function observationRow(
  { id, event, by, occurrence, verbatim }: Sighting,
  deployment: string,
): unknown[] {
  const measured = (by('MeasurementOrFact') ?? []) as readonly Body[];
  const scientificName = occurrence.taxa.at(-1)?.['scientific_name'] ?? null;
  const one = (value: unknown, known: ReadonlySet<unknown>): unknown =>
    known.has(value) ? value : null;
  return [
    ...[id, deployment, verbatim['eventID'] ?? by('eventID'), event.start, event.end],
    ...['event', 'animal'],
    ...[scientificName, by('individualCount'), one(by('lifeStage'), LIFE_STAGES)],
    ...[one(by('sex'), SEXES), by('behavior'), animalOf(occurrence, by)],
    ...Object.values(MEASURED).map(
      (kind) =>
        measured.find(
          ({ type, unit, value }) =>
            typeof value === 'number' && `${String(type)} ${String(unit)}` === kind,
        )?.['value'] ?? null,
    ),
    ((occurrence.object['tags'] ?? []) as readonly string[]).join('|'),
    by('occurrenceRemarks'),
    ...OF_OBSERVATION.map((column) => verbatim[column] ?? null),
  ];
}

/** What its dataset calls the animal, else what people call it, else the ID that it has here. */
function animalOf({ referred }: ExportedOccurrence, by: ByTerm): unknown {
  const names = referred['individual']?.['names'];
  return nameInDataset(names, by('datasetID')) ?? calledBy(names) ?? by('organismID');
}

/** The rows of its photographs, by their IDs. */
export function mediaRows(
  { event, by, occurrence, verbatim }: Sighting,
  deployment: string,
  { publicUrl, site }: Pick<ExportSource, 'publicUrl' | 'site'>,
): [string, unknown[]][] {
  const isPublic =
    site.readers === 'anyone' && by('identificationVerificationStatus') === 'approved';
  const own = occurrence.photographs.map((one): [string, unknown[]] => {
    const taken = typeof one['taken_at'] === 'string' ? instantOf(one['taken_at']) : null;
    const address = `${publicUrl}${String(one['path'])}`;
    const id = String(one['id']);
    return [
      id,
      [
        ...[id, deployment, taken ?? event.start, address],
        ...[isPublic && (one['withheld'] ?? 'no') === 'no', one['filename']],
        // To whom the original's is not told, the address gives a rendition.
        one['mime_type'] ?? RENDITION_TYPE,
      ],
    ];
  });
  // Those that an import has not fetched are where its source has them.
  const elsewhere = addressesIn(verbatim).map((address): [string, unknown[]] => {
    const id = uuidV5(address, uuidV5.URL);
    const name = address.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
    return [id, [id, deployment, event.start, address, true, name, mediaTypeOf(name)]];
  });
  return [...own, ...elsewhere];
}

/** By the end of its name: the standard wants one of each file. */
const mediaTypeOf = (name: string): string => {
  const end = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(?:mp4|avi|mov|mpe?g|webm)$/.test(end)) return end === 'mp4' ? 'video/mp4' : `video/${end}`;
  return /^(?:png|gif|webp|tiff?)$/.test(end) ? `image/${end}` : 'image/jpeg';
};

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
