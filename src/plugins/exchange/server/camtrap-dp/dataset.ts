import type { Dataset, Draft, StagedRecords } from '../package/dataset';
import { DESCRIPTOR, type PackageFiles } from '../package/package-files';
import { taxonKeyOf, type NamedTaxon } from '../package/named-taxon';
import { planTaxa, type TaxaPlan } from '../package/taxa';
import type { ImportJob } from '../import/summary';
import { readDescriptor, type Descriptor } from './descriptor';
import { encounterOf, placeOf } from './encounter';
import { OBSERVATION_TYPES, type Staged } from './observations';
import type { Media } from './media';
import { addressesOf, photographsOf, readMedia } from './photographs';
import { readDeployments, readObservations, readVerbatim, type Deployments } from './reading';
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
  job: ImportJob,
): Promise<StagedRecords> {
  const staging = new Staging();
  let media: Media | null = null;
  try {
    const deployments = await readDeployments(files, descriptor, job);
    await readVerbatim(files, descriptor, staging, job);
    await readObservations(files, descriptor, deployments, staging, job);
    media = await readMedia(files, descriptor, job);
    return recordsOf({ descriptor, deployments, staging, media }, job);
  } catch (error) {
    staging.close();
    media?.close();
    throw error;
  }
}

interface Package {
  readonly descriptor: Descriptor;
  readonly deployments: Deployments;
  readonly staging: Staging;
  readonly media: Media | null;
}

function recordsOf(parts: Package, job: ImportJob): StagedRecords {
  const { descriptor, staging, media } = parts;
  const place = { file: DESCRIPTOR, line: null, field: 'taxonomic' };
  const plan = planTaxa(staging.scientificNames.map(unranked), descriptor.taxonomic, place);
  const animalOf = staging.organisms.settle(plan, job.report);
  return {
    count() {
      const { sightings, merged } = staging.count();
      return { encounters: sightings, merged };
    },
    taxa: () => plan,
    *drafts() {
      for (const staged of staging.sightings()) yield draftOf(staged, parts, plan, animalOf, job);
    },
    photographs: () => Promise.resolve(media ? photographsOf(media, descriptor, staging) : null),
    close: () => {
      staging.close();
      media?.close();
    },
  };
}

const unranked = (scientificName: string): NamedTaxon => ({ scientificName, rank: null });

function draftOf(
  { observation, origin }: Staged,
  { deployments, descriptor, media, staging }: Package,
  { byKey }: TaxaPlan,
  animalOf: ReturnType<Staging['organisms']['settle']>,
  job: ImportJob,
): Draft {
  const { scientificName, individual, deployment: id } = observation;
  const deployment = deployments.known.get(id);
  // Observations of unknown deployments are refused while they are read.
  if (!deployment) throw new Error(`the deployment ${id} of a staged observation is not known`);
  const addresses = addressesOf(media, observation);
  const key = scientificName === null ? null : taxonKeyOf(unranked(scientificName));
  const isAmbiguous = key !== null && byKey.get(key) === null;
  const further = {
    ...staging.verbatimOf(observation.id),
    ...(addresses.length === 0 ? {} : { associatedMedia: addresses.join(' | ') }),
    ...(isAmbiguous && scientificName !== null ? { scientificName } : {}),
  };
  if (isAmbiguous) job.report({ ...origin, ...AMBIGUOUS, value: scientificName ?? '' });
  return {
    body: encounterOf(observation, deployment, descriptor, further),
    taxon: isAmbiguous ? null : key,
    organism: individual === null ? null : animalOf('', individual),
    origin,
    placeOf: (field) => placeOf(field, origin, deployment),
  };
}

const AMBIGUOUS = {
  field: 'scientificName',
  reason: 'is a name in two kingdoms, and the package does not say of which',
};
