/** `datapackage.json`. */
import { makeTaxa, RANKS, type Taxon } from '../data/taxa';
import { PERIOD } from './deployments';

const PROFILE = 'https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0/';

const resource = (name: string): object => ({
  name,
  path: `${name}.csv`,
  profile: 'tabular-data-resource',
  format: 'csv',
  mediatype: 'text/csv',
  encoding: 'utf-8',
  schema: `${PROFILE}${name}-table-schema.json`,
});

/** The properties of a package (https://camtrap-dp.tdwg.org/metadata/). @param id the package's own */
export const describePackage = (id: string, title: string): object => ({
  resources: ['deployments', 'media', 'observations'].map(resource),
  profile: `${PROFILE}camtrap-dp-profile.json`,
  name: 'generated-camera-trap-data',
  id,
  created: day(PERIOD.end),
  title,
  contributors: [{ title: 'npm run generate', role: 'contributor' }],
  description: 'Made up by a program: no animal was seen. For tests and measurements.',
  version: '1.0',
  keywords: ['camera traps', 'generated'],
  licenses: [
    { name: 'CC0-1.0', scope: 'data' },
    { path: 'http://creativecommons.org/licenses/by/4.0/', scope: 'media' },
  ],
  project: {
    title: 'Generated camera trap data',
    samplingDesign: 'clusteredRandom',
    captureMethod: ['activityDetection'],
    individualAnimals: true,
    observationLevel: ['media', 'event'],
  },
  coordinatePrecision: 0.00001,
  spatial: {
    type: 'Polygon',
    coordinates: [
      [
        [33.5, -4],
        [36, -4],
        [36, -1],
        [33.5, -1],
        [33.5, -4],
      ],
    ],
  },
  temporal: { start: day(PERIOD.start).slice(0, 10), end: day(PERIOD.end).slice(0, 10) },
  taxonomic: describeTaxa(),
});

const day = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('.000Z', 'Z');

/** Each with the names of all that stand above it. */
function describeTaxa(): object[] {
  const taxa = new Map(makeTaxa().map((taxon) => [taxon.scientificName, taxon]));
  const above = ({ parent }: Taxon): Partial<Record<Taxon['rank'], string>> => {
    const next = parent === null ? undefined : taxa.get(parent);
    return next ? { ...above(next), [next.rank]: next.scientificName } : {};
  };
  return [...taxa.values()]
    .sort((a, b) => RANKS.indexOf(b.rank) - RANKS.indexOf(a.rank))
    .map((taxon) => ({
      scientificName: taxon.scientificName,
      taxonRank: taxon.rank,
      ...above(taxon),
    }));
}
