/** Cameras: in clusters, as people put them up, and each for a few months. */
import type { Random } from '../data/random';

export interface Deployment {
  readonly id: string;
  readonly location: string;
  readonly locationName: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly habitat: string;
}

const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2017, 0, 1);
const YEARS = 8;

/** All deployments lie between these two. */
export const PERIOD = { start: FIRST_DAY, end: FIRST_DAY + YEARS * 365 * DAY };

/** A limited number, because all of them are kept in memory. */
const MOST = 3000;
/** The minimum number of encounters of a camera. */
const ENCOUNTERS_PER_DEPLOYMENT = 25;
const CLUSTERS = 40;

const NAMES = ['Grumeti', 'Lobo', 'Moru', 'Naabi', 'Ndutu', 'Orangi', 'Seronera', 'Togoro'];
const HABITATS = ['riverine forest', 'open grassland', 'wooded grassland', 'kopje', 'wetland'];

interface Cluster {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The deployments for so many encounters. */
export function makeDeployments(encounters: number, random: Random): Deployment[] {
  const clusters = Array.from({ length: CLUSTERS }, (_, i): Cluster => ({
    name: `${NAMES[i % NAMES.length] ?? ''} ${Math.floor(i / NAMES.length) + 1}`,
    latitude: random.between(-3.4, -1.4),
    longitude: random.between(33.9, 35.6),
  }));
  const count = Math.min(MOST, Math.ceil(encounters / ENCOUNTERS_PER_DEPLOYMENT));
  return Array.from({ length: count }, (_, i) => makeDeployment(i, random.pick(clusters), random));
}

function makeDeployment(index: number, cluster: Cluster, random: Random): Deployment {
  const days = 30 + random.below(90);
  const start =
    FIRST_DAY + random.below(YEARS * 365 - days) * DAY + random.below(DAY / 1000) * 1000;
  return {
    id: random.uuid(),
    location: random.uuid(),
    locationName: `${cluster.name}, site ${index + 1}`,
    // About 3 km, which is how far apart the cameras of one grid are.
    latitude: degrees(cluster.latitude + 0.03 * random.normal()),
    longitude: degrees(cluster.longitude + 0.03 * random.normal()),
    start,
    end: start + (days - 1) * DAY,
    habitat: random.pick(HABITATS),
  };
}

const degrees = (value: number): number => Math.round(value * 100_000) / 100_000;
