import { v5 as uuidV5 } from 'uuid';
import type { Body } from '../../../objects/server/types';
import type { Deployment } from './deployments';
import type { License } from './descriptor';
import { timeOf } from './event-time';
import type { Origin } from './fault';
import type { Observation } from './observations';

/** The namespace of the UUIDs of events. It must never change, or imports would give other UUIDs to the same event. */
const EVENT_NAMESPACE = '3987b19c-cf38-4783-9f31-e672f45df412';

/** As https://docs.gbif.org/camera-trap-guide/en/#section-samplingprotocol recommends it for every record. */
const SAMPLING_PROTOCOL = 'camera trap';

/** The common part of all encounters of a package. */
export interface PackageFacts {
  readonly source: string;
  readonly license: License | null;
}

/** The IDs of what an encounter refers to; null for nothing. */
export interface References {
  readonly taxonomy: string | null;
  readonly individual: string | null;
  readonly owner: string | null;
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

/** An encounter to be created, and its source rows. */
export interface Draft {
  readonly body: Body;
  readonly origin: Origin;
  readonly deployment: Deployment;
}

/** The source of a field of an encounter, for the report. */
export function originOf(field: string, { origin, deployment }: Draft): Origin & { field: string } {
  const column = ofDeployment(deployment)[field];
  if (column !== undefined) return { ...deployment.origin, field: column };
  return { ...origin, field: OF_OBSERVATION[field] ?? field };
}

/** The UUID of an event of a package: the same at every import, and different for other packages. */
export function eventId(source: string, event: string): string {
  return uuidV5(JSON.stringify([source, event]), EVENT_NAMESPACE);
}

/**
 * The encounter of an observation, by the wire names of its fields (docs/import.md describes the mapping). Unknown
 * fields are absent.
 */
export function encounterOf(
  observation: Observation,
  deployment: Deployment,
  references: References,
  { source, license }: PackageFacts,
): Body {
  const fields = {
    ...references,
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
    source,
    external_id: observation.id,
    event_id: observation.event === null ? null : eventId(source, observation.event),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value)));
}

function isKnown(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
