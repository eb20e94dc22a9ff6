/**
 * A Camtrap DP 1.0 of the encounters that a camera has recorded. Observations are sent as the encounters are read; what
 * all of them say of places, media and taxa is collected in a temporary database and sent after them.
 */
import type { Readable } from 'node:stream';
import type { Field } from '../../../plugins/objects/server/declare/completed';
import { fail } from '../../../core/errors';
import { rowText } from '../csv';
import { zipOf } from '../archive/zip';
import type { Occurrences } from '../darwin-core/occurrences';
import type { ExportSource } from '../source';
import { descriptorTexts } from './descriptor';
import { Store } from './store';
import {
  DEPLOYMENT_COLUMNS,
  MEDIA_COLUMNS,
  mediaRows,
  OBSERVATION_COLUMNS,
  observationRow,
  sightingOf,
  taxonOf,
  VERBATIM_COLUMNS,
  verbatimRows,
  type Sighting,
} from './tables';

/**
 * @returns the bytes of the zip; what it keeps is given back when it ends or is destroyed
 * @throws ApiError EXPORT_EMPTY where no camera has recorded any of the encounters
 */
export async function camtrapPackage(
  source: ExportSource,
  occurrences: Occurrences,
  fields: readonly Field[],
): Promise<Readable> {
  let leftOut = 0;
  async function* sightings(): AsyncGenerator<readonly Sighting[], void> {
    for await (const page of source.pages) {
      const found = (await occurrences.complete(page)).flatMap((one): Sighting[] => {
        const sighting = sightingOf(one, fields);
        return sighting ? [sighting] : [];
      });
      leftOut += page.length - found.length;
      if (found.length > 0) yield found;
    }
  }
  const pages = sightings();
  const first = await pages.next();
  if (first.done) throw fail('EXPORT_EMPTY', { left_out: leftOut });
  const store = new Store();
  const licenses = new Set<unknown>();
  let hasIndividuals = false;
  /** @returns the ID of its deployment */
  const keep = (sighting: Sighting): string => {
    const { by, deployment: place, event, occurrence } = sighting;
    const deployment = store.addDeployment(place, event);
    for (const [id, row] of mediaRows(sighting, deployment, source)) store.addMedium(id, row);
    for (const row of verbatimRows(sighting)) store.addVerbatim(row);
    const taxon = taxonOf(occurrence.taxa);
    if (taxon) store.addTaxon(String(by('taxonID')), taxon);
    licenses.add(by('license'));
    hasIndividuals ||= by('organismID') !== null;
    return deployment;
  };
  async function* observations(): AsyncGenerator<string> {
    yield rowText(OBSERVATION_COLUMNS);
    for (let page = first; !page.done; page = await pages.next()) {
      const found = page.value;
      const deployments: string[] = [];
      store.together(() => deployments.push(...found.map(keep)));
      yield found.map((one, at) => rowText(observationRow(one, deployments[at] ?? ''))).join('');
    }
  }
  const licenseOfAll = (): string | null => {
    const [only] = licenses;
    return licenses.size === 1 && typeof only === 'string' ? only : null;
  };
  return zipOf(
    [
      { name: 'observations.csv', content: observations },
      {
        name: 'deployments.csv',
        content: () => inChunks(rowText(DEPLOYMENT_COLUMNS), store.deployments(), rowText),
      },
      {
        name: 'media.csv',
        content: () => inChunks(rowText(MEDIA_COLUMNS), store.media(), rowText),
      },
      {
        name: 'verbatim.csv',
        content: () => inChunks(rowText(VERBATIM_COLUMNS), store.verbatim(), rowText),
      },
      {
        name: 'datapackage.json',
        content: () => {
          const contents = { store, hasIndividuals, license: licenseOfAll(), leftOut };
          return inChunks('', descriptorTexts(source, contents), (text) => text);
        },
      },
    ],
    source.now,
    () => Promise.resolve(store.close()),
  );
}

/** Rows that are sent at once. */
const AT_ONCE = 500;

function* inChunks<T>(
  head: string,
  rows: Iterable<T>,
  textOf: (row: T) => string,
): Generator<string> {
  let [text, count] = [head, 0];
  for (const row of rows) {
    text += textOf(row);
    count += 1;
    if (count % AT_ONCE > 0) continue;
    yield text;
    text = '';
  }
  yield text;
}
