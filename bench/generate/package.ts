/** Writes a Camtrap DP package of any size: invented, but with the difficulties of real ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../data/random';
import { makeTaxa } from '../data/taxa';
import { DEPLOYMENT_COLUMNS, MEDIA_COLUMNS, OBSERVATION_COLUMNS } from './columns';
import { makeDeployments, type Deployment } from './deployments';
import { describePackage } from './descriptor';
import { TableFile } from './table-file';
import { createZipf } from './zipf';

export interface PackageOptions {
  /** The number of encounters that an import creates from it. */
  readonly encounters: number;
  /** The folder of the package; created if it does not exist. */
  readonly folder: string;
  /** The seed: the same one gives the same package, byte for byte. */
  readonly seed: number;
}

/** The fractions of events with media-level observations, of blank events, and of events with a second animal. */
const WITH_MEDIA = 0.1;
const BLANK = 0.04;
const SECOND_ANIMAL = 0.08;

/** Writes the four files row by row, so that memory does not depend on their number. */
export function generatePackage({ encounters, folder, seed }: PackageOptions): void {
  mkdirSync(folder, { recursive: true });
  const random = createRandom(seed);
  const descriptor = describePackage(random.uuid(), `${encounters} encounters, seed ${seed}`);
  writeFileSync(join(folder, 'datapackage.json'), `${JSON.stringify(descriptor, null, 2)}\n`);
  const deployments = makeDeployments(encounters, random);
  writeDeployments(join(folder, 'deployments.csv'), deployments);

  const tables: Tables = {
    media: new TableFile(join(folder, 'media.csv'), MEDIA_COLUMNS),
    observations: new TableFile(join(folder, 'observations.csv'), OBSERVATION_COLUMNS),
  };
  const pickTaxon = createZipf(shuffled(identifiable(), random));
  let made = 0;
  while (made < encounters) {
    // One camera after the other, in the order of their memory cards.
    const deployment = deployments[Math.floor((made / encounters) * deployments.length)];
    if (!deployment) throw new RangeError('no deployment');
    made += writeEvent(tables, deployment, pickTaxon, random, encounters - made);
  }
  tables.media.close();
  tables.observations.close();
}

interface Tables {
  readonly media: TableFile<(typeof MEDIA_COLUMNS)[number]>;
  readonly observations: TableFile<(typeof OBSERVATION_COLUMNS)[number]>;
}

function writeDeployments(path: string, deployments: readonly Deployment[]): void {
  const table = new TableFile(path, DEPLOYMENT_COLUMNS);
  for (const deployment of deployments) {
    table.add({
      deploymentID: deployment.id,
      locationID: deployment.location,
      locationName: deployment.locationName,
      latitude: deployment.latitude,
      longitude: deployment.longitude,
      coordinateUncertainty: 10,
      deploymentStart: instant(deployment.start),
      deploymentEnd: instant(deployment.end),
      setupBy: 'generated',
      cameraHeight: 0.5,
      timestampIssues: 'false',
      baitUse: 'false',
      habitat: deployment.habitat,
    });
  }
  table.close();
}

/** Most animals are identified to the species, some only to the genus or the family. */
export const identifiable = (): string[] =>
  makeTaxa()
    .filter(({ rank }) => rank === 'species' || rank === 'genus' || rank === 'family')
    .map(({ scientificName }) => scientificName);

export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Writes one event of a camera. @returns the number of encounters */
function writeEvent(
  { media, observations }: Tables,
  deployment: Deployment,
  pickTaxon: (random: Random) => string,
  random: Random,
  wanted: number,
): number {
  const start = timeIn(deployment, random);
  const event = {
    deploymentID: deployment.id,
    eventID: random.uuid(),
    eventStart: instant(start),
    eventEnd: instant(start + random.below(120) * 1000),
    classificationMethod: 'human',
    classifiedBy: `Volunteer ${random.below(200) + 1}`,
  };
  if (random.next() < BLANK) {
    observations.add({
      ...event,
      observationID: random.uuid(),
      observationLevel: 'event',
      observationType: 'blank',
    });
    return 0;
  }
  const count = wanted > 1 && random.next() < SECOND_ANIMAL ? 2 : 1;
  for (let i = 0; i < count; i += 1) {
    const scientificName = pickTaxon(random);
    const { individualID, ...rest } = animalOf(random);
    const animal = {
      ...event,
      observationType: 'animal',
      scientificName,
      ...rest,
      // An animal has one taxon.
      individualID: individualID === null ? null : `${individualID} ${scientificName}`,
    };
    observations.add({ ...animal, observationID: random.uuid(), observationLevel: 'event' });
    if (random.next() < WITH_MEDIA) {
      const mediaID = random.uuid();
      media.add(mediaOf(mediaID, deployment, event.eventStart));
      observations.add({
        ...animal,
        observationID: random.uuid(),
        observationLevel: 'media',
        mediaID,
        eventEnd: event.eventStart,
      });
    }
  }
  return count;
}

const STAGES = ['adult', 'adult', 'adult', 'subadult', 'juvenile', null];
const SEXES = ['female', 'male', null, null];
const BEHAVIORS = ['foraging', 'walking', 'resting', 'vigilance', 'foraging|vigilance', null];
const COMMENTS = [
  'Close to the camera, part of the animal only',
  'Collar visible',
  'Lame, left hind leg',
];

export const animalOf = (random: Random) => ({
  // Mostly single animals, sometimes a herd.
  count: Math.ceil(Math.exp(Math.abs(random.normal()) * 0.9) - 0.999),
  lifeStage: random.pick(STAGES),
  sex: random.pick(SEXES),
  behavior: random.pick(BEHAVIORS),
  individualID: random.next() < 0.02 ? `IND-${random.below(500)}` : null,
  individualSpeed: random.next() < 0.1 ? Math.round(random.between(0, 50)) / 10 : null,
  observationTags: random.next() < 0.05 ? `grid:${random.below(20)}|checked` : null,
  observationComments: random.next() < 0.02 ? random.pick(COMMENTS) : null,
});

const mediaOf = (mediaID: string, deployment: Deployment, timestamp: string) => ({
  mediaID,
  deploymentID: deployment.id,
  captureMethod: 'activityDetection',
  timestamp,
  filePath: `https://media.example.org/${mediaID}.jpg`,
  filePublic: 'true',
  fileName: `${mediaID}.jpg`,
  fileMediatype: 'image/jpeg',
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** On any day of the deployment, mostly around dawn and dusk. */
export function timeIn({ start, end }: Deployment, random: Random): number {
  const day = Math.floor(random.between(start, end) / DAY) * DAY;
  const hour = random.pick([6, 18, 21]) + 2.5 * random.normal();
  const time = Math.floor((day + hour * HOUR) / 1000) * 1000;
  return Math.min(Math.max(time, start), end - 120_000);
}

export const instant = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
