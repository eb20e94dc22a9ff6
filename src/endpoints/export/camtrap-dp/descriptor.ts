/** The metadata of a Camtrap DP, `datapackage.json` (https://camtrap-dp.tdwg.org/metadata/). */
import { v5 as uuidV5 } from 'uuid';
import { nameOf } from '../source';
import type { ExportSource } from '../source';
import type { Store } from './store';
import { VERBATIM_COLUMNS } from './tables';

const RELEASE = 'https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.2/';

const resource = (
  name: string,
  schema: string | object = `${RELEASE}${name}-table-schema.json`,
): object => ({
  name,
  path: `${name}.csv`,
  profile: 'tabular-data-resource',
  format: 'csv',
  mediatype: 'text/csv',
  encoding: 'utf-8',
  schema,
});

/** A table beside those of the standard, which may have others: its own tables have no columns but theirs. */
const VERBATIM = resource('verbatim', {
  fields: VERBATIM_COLUMNS.map((name) => ({ name, type: 'string' })),
  foreignKeys: [
    {
      fields: 'observationID',
      reference: { resource: 'observations', fields: 'observationID' },
    },
  ],
});

/** What the encounters of a package say of it. */
export interface Contents {
  readonly store: Store;
  readonly hasIndividuals: boolean;
  /** The license that all of them have; null without one. */
  readonly license: string | null;
  /** The encounters that were found and are not in it. */
  readonly leftOut: number;
}

/** The metadata as texts: there may be many taxa. */
export function* descriptorTexts(
  source: Omit<ExportSource, 'pages'>,
  { store, hasIndividuals, license, leftOut }: Contents,
): Generator<string> {
  const { publicUrl, publicSite, now } = source;
  const title = nameOf(source);
  const email = publicSite['contact_email'];
  const contact = typeof email === 'string' && email !== '' ? { email } : {};
  const text = JSON.stringify({
    resources: [
      ...['deployments', 'media', 'observations'].map((name) => resource(name)),
      VERBATIM,
    ],
    profile: `${RELEASE}camtrap-dp-profile.json`,
    name: 'encounters',
    id: uuidV5(publicUrl, uuidV5.URL),
    created: now.toISOString(),
    title: `Camera trap encounters of ${title}`,
    description: `Encounters that a camera has recorded at a known place and time. ${leftOut} further encounters were found and are not in this package, because no camera has recorded them, or not at a place and time that are known exactly.`,
    contributors: [{ title, path: publicUrl, role: 'publisher', ...contact }],
    ...(license === null ? {} : { licenses: [{ name: license, scope: 'data' }] }),
    project: {
      title,
      // The settings of a site do not tell more of its projects.
      samplingDesign: 'opportunistic',
      captureMethod: ['activityDetection'],
      individualAnimals: hasIndividuals,
      observationLevel: ['event'],
    },
    ...boundsOf(store, now),
  });
  yield `${text.slice(0, -1)},"taxonomic":[`;
  let isFirst = true;
  for (const taxon of store.taxa()) {
    yield `${isFirst ? '' : ','}${taxon}`;
    isFirst = false;
  }
  yield ']}\n';
}

function boundsOf(store: Store, now: Date): object {
  const extent = store.extent();
  const today = now.toISOString().slice(0, 10);
  const { west, south, east, north } = extent ?? { west: 0, south: 0, east: 0, north: 0 };
  const corners = [
    ...[
      [west, south],
      [east, south],
      [east, north],
    ],
    ...[
      [west, north],
      [west, south],
    ],
  ];
  return {
    spatial: { type: 'Polygon', coordinates: [corners] },
    temporal: {
      start: extent?.start.slice(0, 10) ?? today,
      end: extent?.end.slice(0, 10) ?? today,
    },
  };
}
