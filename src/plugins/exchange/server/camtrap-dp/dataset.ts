import type { Dataset, Draft, StagedRecords } from '../package/dataset';
import { DESCRIPTOR, type PackageFiles } from '../package/package-files';
import { planTaxa, taxonKeyOf, type Named } from '../package/taxa';
import type { Job } from '../import/summary';
import { readDescriptor, type Descriptor } from './descriptor';
import { encounterOf, placeOf } from './encounter';
import { OBSERVATION_TYPES, type Staged } from './observations';
import { readPhotographs } from './photographs';
import { readDeployments, readObservations, type Deployments } from './reading';
import { Staging } from './staging';

/**
 * A Camtrap DP 1 (https://camtrap-dp.tdwg.org/).
 *
 * @throws PackageError when it is none, or cannot be imported
 */
export async function openCamtrapDp(files: PackageFiles): Promise<Dataset> {
  const descriptor = await readDescriptor(files);
  return {
    source: descriptor.source,
    leftOut: OBSERVATION_TYPES.filter((type) => type !== 'animal'),
    faults: descriptor.faults,
    sharedFiles: descriptor.deployments.paths,
    stage: (job) => stage(files, descriptor, job),
  };
}

async function stage(
  files: PackageFiles,
  descriptor: Descriptor,
  job: Job,
): Promise<StagedRecords> {
  const staging = new Staging();
  try {
    const deployments = await readDeployments(files, descriptor, job);
    await readObservations(files, descriptor, deployments, staging, job);
    return recordsOf(files, descriptor, deployments, staging);
  } catch (error) {
    staging.close();
    throw error;
  }
}

function recordsOf(
  files: PackageFiles,
  descriptor: Descriptor,
  deployments: Deployments,
  staging: Staging,
): StagedRecords {
  return {
    count() {
      const { sightings, merged } = staging.count();
      return { encounters: sightings, merged };
    },
    taxa: () =>
      planTaxa(staging.scientificNames.map(unranked), descriptor.taxonomic, {
        file: DESCRIPTOR,
        line: null,
        field: 'taxonomic',
      }),
    *drafts() {
      for (const staged of staging.sightings()) yield draftOf(staged, deployments, descriptor);
    },
    photographs: (job) => readPhotographs(files, descriptor, staging, job),
    close: () => staging.close(),
  };
}

const unranked = (scientificName: string): Named => ({ scientificName, rank: null });

function draftOf(
  { observation, origin }: Staged,
  { known }: Deployments,
  descriptor: Descriptor,
): Draft {
  const { scientificName, individual, deployment: id } = observation;
  const deployment = known.get(id);
  // Observations of unknown deployments are refused while they are read.
  if (!deployment) throw new Error(`the deployment ${id} of a staged observation is not known`);
  return {
    body: encounterOf(observation, deployment, descriptor),
    taxon: scientificName === null ? null : taxonKeyOf(unranked(scientificName)),
    organism:
      individual === null
        ? null
        : { id: individual, name: null, remarks: null, column: 'individualID' },
    origin,
    placeOf: (field) => placeOf(field, origin, deployment),
  };
}
