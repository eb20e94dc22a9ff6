import type { Body } from '../../../objects/server/declare/objects';
import { eventId, known } from '../package/encounter-body';
import type { Deployment } from './deployments';
import type { License } from '../package/license';
import { timeOf } from './event-time';
import type { Origin, ValuePlace } from '../package/fault';
import type { Observation } from './observations';

/** As https://docs.gbif.org/camera-trap-guide/en/#section-samplingprotocol recommends it for every record. */
const SAMPLING_PROTOCOL = 'camera trap';

/** The common part of all encounters of a package. */
export interface PackageFacts {
  readonly source: string;
  readonly license: License | null;
  /** The license of the package as it was written, where encounters cannot have it. */
  readonly verbatimLicense: string | null;
}

/** The columns of an observation by field of the encounter. */
const OF_OBSERVATION: Readonly<Record<string, string>> = {
  taxonomy: 'scientificName',
  individual: 'individualID',
  time: 'eventStart',
  sex: 'sex',
  life_stage: 'lifeStage',
  group_size: 'count',
  behavior: 'behavior',
  tags: 'observationTags',
  remarks: 'observationComments',
  event_id: 'eventID',
  external_id: 'observationID',
};

/** The columns of a deployment by field of the encounter. */
const ofDeployment = ({ localityColumn }: Deployment): Readonly<Record<string, string>> => ({
  latitude: 'latitude',
  longitude: 'longitude',
  coordinate_uncertainty: 'coordinateUncertainty',
  depth: 'cameraDepth',
  locality: localityColumn,
});

/** The source of a field of an encounter, for the report. */
export function placeOf(field: string, origin: Origin, deployment: Deployment): ValuePlace {
  const column = ofDeployment(deployment)[field];
  if (column !== undefined) return { ...deployment.origin, field: column };
  return { ...origin, field: OF_OBSERVATION[field] ?? field };
}

/**
 * The encounter of an observation, by the wire names of its fields (docs/import.md describes the mapping). Unknown
 * fields are absent, and so are references.
 */
export function encounterOf(
  observation: Observation,
  deployment: Deployment,
  { source, license, verbatimLicense }: PackageFacts,
  further: Readonly<Record<string, string>> = {},
): Body {
  const fields = {
    time: timeOf(observation.time),
    latitude: deployment.latitude,
    longitude: deployment.longitude,
    coordinate_uncertainty: deployment.uncertainty,
    locality: deployment.locality,
    depth: deployment.depth,
    sex: observation.sex,
    life_stage: observation.lifeStage,
    group_size: observation.count,
    behavior: observation.behavior,
    basis_of_record: 'machine_observation',
    sampling_protocol: SAMPLING_PROTOCOL,
    measurements: observation.measurements,
    tags: observation.tags,
    remarks: observation.remarks,
    license,
    verbatim: Object.assign(
      { ...deployment.verbatim },
      observation.verbatim,
      verbatimLicense === null ? null : { license: verbatimLicense },
      further,
    ),
    source,
    external_id: observation.id,
    event_id: observation.event === null ? null : eventId(source, observation.event),
  };
  return known(fields);
}
