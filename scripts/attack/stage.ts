/**
 * Brings a truth into a service, as it happens in the field: reports without a taxon, identified later; a taxon that is
 * protected after its records were told; individuals that turn out to be one; records that are taken away. A stranger
 * polls in between.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { pages, type Api } from './api';
import { poll, type Known } from './collect';
import type { Sought } from './table';
import type { Home, Sighting, Taxon } from './truth';

/** Where a truth is brought to. */
export interface Stage {
  readonly api: Api;
  /** The import of the product. @param file a table of terms of Darwin Core @param owner the ID of an account */
  import(file: string, owner: string): Promise<void>;
  /** Waits until nothing is left to be done in the background. */
  readonly settle: () => Promise<void>;
  /** Lets the month end in which all was brought in: what is told by the month is told now. */
  readonly nextMonth: () => Promise<void>;
  /** The account that owns the records of a home. */
  ownerOf(home: Home): Promise<string>;
}

export interface StageOptions {
  /** Names what is made, so that one service takes several truths. */
  readonly name: string;
  /** Homes whose last outing has a photograph of both animals. */
  readonly photographs: number;
  /** Hours over which the last outings are reported. */
  readonly hours: number;
}

/** What is staged: the homes by the IDs that a stranger sees, and what its polls told. */
export interface Staged {
  readonly sought: readonly Sought[];
  readonly polled: ReadonlyMap<string, Known>;
  readonly polls: number;
}

const NAMES: Readonly<Record<Taxon, string>> = {
  protected: 'Diceros',
  later: 'Ceratotherium',
  open: 'Equus',
};

const HEADING =
  'occurrenceID,datasetID,organismID,organismName,eventID,eventDate,decimalLatitude,decimalLongitude,scientificName';

/** Changes that are sent at once. */
const AT_ONCE = 4;

async function each<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export async function stage(
  homes: readonly Home[],
  { api, ...to }: Stage,
  { name, photographs, hours }: StageOptions,
): Promise<Staged> {
  const taxa = await makeTaxa(api, name);
  let [polled, polls]: [ReadonlyMap<string, Known>, number] = [new Map(), 0];
  const look = async (): Promise<void> => {
    await to.settle();
    polled = await poll(api, polled, polls);
    polls += 1;
  };
  const report = async (some: readonly Home[], wave: Wave): Promise<void> => {
    const byOwner = new Map<string, Sighting[]>();
    for (const home of some) {
      const owner = await to.ownerOf(home);
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), ...home[wave]]);
    }
    for (const [owner, sightings] of byOwner)
      await withTable(sightings, name, (file) => to.import(file, owner));
  };

  await report(homes, 'early');
  await look();
  await report(homes, 'late');
  await look();
  for (let hour = 0; hour < hours; hour += 1) {
    await report(
      homes.filter((_, at) => at % hours === hour),
      'outing',
    );
    await look();
  }
  const { encounters, individuals } = await idsOf(api, name);
  const idOf = (id: string): string => encounters.get(id) ?? '';
  const animal = (called: string): string => individuals.get(called) ?? '';

  await each(
    homes.flatMap(({ untaxed }) => untaxed),
    (id) => api.change('PUT', `encounter/${idOf(id)}`, { taxonomy: taxa.protected }),
  );
  await each(homes.slice(0, photographs), async ({ name: home, target, companion }) => {
    const assets = [String((await api.change('POST', 'asset', await photograph(home)))['id'])];
    for (const id of [target, companion])
      await api.change('PUT', `encounter/${idOf(id)}`, { assets });
  });
  await look();
  await api.change('PUT', `taxonomy/${taxa.later}`, { location_privacy: 'obscured' });
  await look();
  await each(homes, async ({ organisms, associate, taken }) => {
    const into = `individual/${animal(organisms.into)}`;
    const from = organisms.from.flatMap((called) => individuals.get(called) ?? []);
    await api.change('POST', `${into}/merge`, { from });
    const relationships = [{ type: 'associate', individual: animal(associate) }];
    await api.change('PUT', into, { relationships });
    if (taken !== null) await api.change('DELETE', `encounter/${idOf(taken)}`);
  });
  await look();
  await to.nextMonth();
  await look();
  const sought = homes.map(({ home, target }, at): Sought => ({
    home,
    target: idOf(target),
    hasPhotograph: at < photographs,
  }));
  return { sought, polled, polls };
}

type Wave = 'early' | 'late' | 'outing';

async function makeTaxa(api: Api, name: string): Promise<Record<Taxon, string>> {
  const make = async (taxon: Taxon): Promise<string> =>
    String(
      (
        await api.change('POST', 'taxonomy', {
          scientific_name: `${NAMES[taxon]} ${name}`,
          ...(taxon === 'protected' ? { location_privacy: 'obscured' } : {}),
        })
      )['id'],
    );
  return {
    protected: await make('protected'),
    later: await make('later'),
    open: await make('open'),
  };
}

/** Writes sightings as a table of Darwin Core for as long as it is used. */
async function withTable(
  sightings: readonly Sighting[],
  name: string,
  use: (file: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'oms-attack-'));
  try {
    const file = join(folder, 'occurrence.csv');
    const rows = sightings.map(({ id, organism, taxon, place, time, event }) =>
      [
        ...[id, name, organism ?? '', organism ?? '', event, time],
        ...[place.latitude.toFixed(6), place.longitude.toFixed(6)],
        taxon === null ? '' : `${NAMES[taxon]} ${name}`,
      ].join(),
    );
    writeFileSync(file, [HEADING, ...rows, ''].join('\n'));
    await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The IDs of what was imported, by what the source calls it. */
async function idsOf(
  api: Api,
  name: string,
): Promise<Record<'encounters' | 'individuals', ReadonlyMap<string, string>>> {
  const encounters = new Map<string, string>();
  const individuals = new Map<string, string>();
  const search = `search/encounter?source=${name}&expand=true&limit=1000&count=none`;
  for await (const { objects } of pages(api.see, search))
    for (const one of objects) encounters.set(String(one['external_id']), String(one['id']));
  for await (const { objects } of pages(api.see, 'search/individual?expand=true&limit=1000'))
    for (const one of objects) individuals.set(String(one['name']), String(one['id']));
  return { encounters, individuals };
}

/** The form of a photograph that differs from all others. */
async function photograph(name: string): Promise<FormData> {
  const [r = 0, g = 0, b = 0] = Buffer.from(name.padEnd(3)).subarray(-3);
  const bytes = await sharp({
    create: { width: 24, height: 16, channels: 3, background: { r, g, b } },
  })
    .withExif({ IFD0: { ImageDescription: name } })
    .jpeg()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(bytes)], { type: 'image/jpeg' }), 'photograph.jpg');
  return form;
}
