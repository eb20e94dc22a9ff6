/** The records of all contenders: created with the service's API, then multiplied in the database. */
import { startContender } from '../contenders/contender';
import { load, type Call } from '../load';
import type { Place } from '../places/place';
import { sampleEncounter } from './encounters';
import { createRandom } from './random';
import { makeTaxa } from './taxa';

/** The number of encounters that are created; all others are copies of them. */
export const SEED_RECORDS = 1000;

/** Rows that are copied by one statement. */
const STEP = 50_000;

const API = '/api/v0';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** The created records. */
export interface Dataset {
  readonly place: Place;
  /** The IDs of all species. */
  readonly taxa: readonly string[];
}

/** Fills an empty place with the taxa and the first encounters. */
export async function makeSeed(place: Place, seed: number): Promise<Dataset> {
  const random = createRandom(seed);
  const ours = await startContender('ours', place.env);
  try {
    const taxa = await postTaxa(ours.url);
    const encounters = Array.from({ length: SEED_RECORDS }, () => sampleEncounter(random, taxa));
    await postAll(ours.url, 'encounter', encounters, 10);
    return { place, taxa };
  } finally {
    await ours.stop();
  }
}

/** Creates the taxa, parents first. @returns the IDs of the species */
async function postTaxa(url: string): Promise<string[]> {
  const ids = new Map<string, string>();
  const taxa = makeTaxa();
  for (const { scientificName, rank, parent } of taxa) {
    const body = {
      scientific_name: scientificName,
      rank,
      parent: parent === null ? null : ids.get(parent),
      // Only the root has a location privacy, so that an encounter's is inherited from the top.
      ...(parent === null ? { location_privacy: 'open' } : {}),
    };
    const [id = ''] = await postAll(url, 'taxonomy', [body], 1);
    ids.set(scientificName, id);
  }
  return taxa.flatMap(({ scientificName, rank }) =>
    rank === 'species' ? (ids.get(scientificName) ?? []) : [],
  );
}

async function postAll(
  url: string,
  type: string,
  bodies: readonly object[],
  connections: number,
): Promise<string[]> {
  const ids: string[] = [];
  const calls = bodies.map((body): Call => ({
    method: 'POST',
    path: `${API}/${type}`,
    headers: JSON_HEADERS,
    body: Buffer.from(JSON.stringify(body)),
    done: (text) => void ids.push((JSON.parse(text) as { response: { id: string } }).response.id),
  }));
  await load(url, () => calls.shift() ?? null, { connections });
  return ids;
}

/** Copies encounters with their history, up to this number. */
export async function grow({ place }: Dataset, records: number): Promise<void> {
  const [newId, ...others] = ['document_id', ...(await ownColumns(place))];
  const list = others.join(', ');
  const statements: string[] = [];
  for (let count = SEED_RECORDS; count < records; count += STEP) {
    const wanted = Math.min(STEP, records - count);
    statements.push(
      `insert into encounters (${newId}, ${list})
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${wanted})
        select cast(gen_random_uuid() as text), ${list}
        from numbers join encounters on encounters.id = (numbers.n % ${SEED_RECORDS}) + 1`,
    );
  }
  await place.run(...statements, HISTORY);
}

/** The columns whose values are copied. */
async function ownColumns(place: Place): Promise<string[]> {
  const columns = await place.columns('encounters');
  return columns.filter((name) => name !== 'id' && name !== 'document_id');
}

/** A copied history starts with a create, like that of every object. */
const HISTORY = `
  insert into oms_history (id, type, object, version, at, action, actor_kind, changes)
  select cast(gen_random_uuid() as text), 'encounter', e.document_id, 1, 1700000000000 + e.id,
    'create', 'user', (select changes from oms_history where type = 'encounter' order by seq limit 1)
  from encounters e where e.id > ${SEED_RECORDS} order by e.id`;
