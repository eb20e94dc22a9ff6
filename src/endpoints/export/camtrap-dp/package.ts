/**
 * A Camtrap DP 1.0 of the encounters that a camera has recorded. Observations are sent as the encounters are read; what
 * all of them say of places, media and taxa is collected in a temporary database and sent after them.
 */
import type { Readable } from 'node:stream';
import type { Field } from '../../../plugins/objects/server/define/completed';
import { rowText } from '../csv';
import { zipOf } from '../archive/zip';
import type { Occurrences } from '../darwin-core/occurrences';
import type { Source } from '../source';
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
  type Sighting,
} from './tables';

/** @returns the bytes of the zip; what it keeps is given back when it ends or is destroyed */
export function camtrapPackage(
  source: Source,
  occurrences: Occurrences,
  fields: readonly Field[],
): Readable {
  const store = new Store();
  const licenses = new Set<unknown>();
  let hasIndividuals = false;
  const keep = (sighting: Sighting): void => {
    const { by, deployment, event, occurrence } = sighting;
    store.addDeployment(deployment, event);
    for (const [id, row] of mediaRows(sighting, source)) store.addMedium(id, row);
    const taxon = taxonOf(occurrence.taxa);
    if (taxon) store.addTaxon(String(by('taxonID')), taxon);
    licenses.add(by('license'));
    hasIndividuals ||= by('organismID') !== null;
  };
  async function* observations(): AsyncGenerator<string> {
    yield rowText(OBSERVATION_COLUMNS);
    for await (const page of source.pages) {
      const found = (await occurrences.complete(page)).flatMap((one): Sighting[] => {
        const sighting = sightingOf(one, fields);
        return sighting ? [sighting] : [];
      });
      store.together(() => found.forEach(keep));
      yield found.map((one) => rowText(observationRow(one))).join('');
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
        name: 'datapackage.json',
        content: () => {
          const contents = { store, hasIndividuals, license: licenseOfAll() };
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
