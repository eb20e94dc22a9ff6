/** Sets up the contenders: records, processes, and the requests for each. */
import { randomInt } from 'node:crypto';
import type { Cleanup } from './cleanup';
import { startContender, type Contender, type Program } from './contenders/contender';
import { writeStockApp } from './contenders/stock-app';
import { grow, makeSeed, type Dataset } from './data/dataset';
import { sampleEncounter } from './data/encounters';
import { createRandom } from './data/random';
import { floorPlace } from './floor/place';
import { newFolder, type DatabaseName, type Place } from './places/place';
import { postgresPlace } from './places/postgres';
import { sqlitePlace } from './places/sqlite';
import { createRequests, type Requests, type Subjects } from './workloads';

/** The common parts of all stages of a run. */
export interface Theater {
  readonly database: DatabaseName;
  /** The folder of all files of the run. */
  readonly folder: string;
  readonly cleanup: Cleanup;
}

/** A running contender, with its requests. */
export interface Entrant {
  readonly name: Program;
  readonly place: Place;
  readonly contender: Contender;
  readonly requests: Requests;
}

/** Contenders with the same records. */
export interface Stage {
  readonly subjects: Subjects;
  readonly entrants: readonly Entrant[];
}

const PLACES: Record<DatabaseName, (parent: string) => Place | Promise<Place>> = {
  sqlite: sqlitePlace,
  postgres: postgresPlace,
};

/** The seed of the first encounters: the same in every run. */
const SEED = 1;

/** An empty place, which is deleted at the end of the run. */
export async function emptyPlace({ database, folder, cleanup }: Theater): Promise<Place> {
  const place = await PLACES[database](folder);
  cleanup.add(() => place.drop());
  return place;
}

/** The first encounters, which every stage copies. */
export const makeFirst = async (theater: Theater): Promise<Dataset> =>
  makeSeed(await emptyPlace(theater), SEED);

/** A stage with so many encounters. */
export async function makeStage(
  theater: Theater,
  first: Dataset,
  records: number,
  programs: readonly Program[],
): Promise<Stage> {
  const { database, folder, cleanup } = theater;
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  const dataset: Dataset = { ...first, place };
  await grow(dataset, records);
  const random = createRandom(randomInt(2 ** 31));
  const taxa = await place.rows('select document_id, id from taxonomies');
  const subjects: Subjects = {
    ids: (await place.rows('select document_id from encounters')).map(([id]) => String(id)),
    taxonRows: new Map(taxa.map(([id, row]) => [String(id), Number(row)])),
    sample: () => sampleEncounter(random, dataset.taxa),
  };

  // All places are created before any process starts, so that no contender starts with the writes of another one.
  const places: [Program, Place][] = [];
  for (const program of programs) {
    const own = await copyFor(program, database, folder, place);
    if (own !== place) cleanup.add(() => own.drop());
    places.push([program, own]);
  }
  const entrants: Entrant[] = [];
  for (const [name, own] of places) {
    const env = { ...own.env, ...(name === 'stock' ? stockApp(folder, true) : {}) };
    const contender = await startContender(name, env);
    cleanup.add(() => contender.stop());
    const requests = createRequests(name, subjects, random);
    entrants.push({ name, place: own, contender, requests });
  }
  return { subjects, entrants };
}

async function copyFor(
  program: Program,
  database: DatabaseName,
  folder: string,
  place: Place,
): Promise<Place> {
  if (program === 'ours') return place;
  return program === 'floor' ? floorPlace(database, place, folder) : place.copy();
}

/** The environment variables for a stock Strapi and its generated app. */
export function stockApp(folder: string, withTypes: boolean): Record<string, string> {
  const app = newFolder(folder);
  writeStockApp(app, withTypes);
  return { BENCH_STOCK_APP: app };
}
