/** What relations between objects cost: summaries of what an encounter refers to, long lists, the check of rights. */
import { deepStrictEqual } from 'node:assert';
import sharp from 'sharp';
import { startContender, type Contender } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { newSession, post, type Session } from './data/sessions';
import { floorPlace } from './floor/place';
import { load, type NextCall } from './load';
import { measure, type Plan } from './measure';
import type { Place } from './places/place';
import type { ObjectsResult } from './result';
import type { Theater } from './stage';
import { median } from './statistics';

const API = '/api/v0';
const INCLUDED = '?include=owner,individual,taxonomy,assets';
type RoleName = 'user' | 'administrator';

/** Encounters of the two individuals. */
const FEW = 1000;
const MANY = 2000;

/** Photographs of an encounter. */
const PHOTOGRAPHS = 3;

/** Objects that are created through the API: two individuals, photographs, and accounts with a session. */
interface Made {
  readonly individuals: readonly string[];
  readonly assets: readonly string[];
  readonly sessions: Readonly<Record<RoleName, Session>>;
}

/** Measures with the first thousand encounters, each of which gets an owner, an individual and photographs. */
export async function measureObjects(
  { cleanup, database, folder }: Theater,
  first: Dataset,
  plan: Plan,
): Promise<ObjectsResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  plan.progress('objects: makes them');
  const maker = await startContender('ours', place.env);
  cleanup.add(() => maker.stop());
  const made = await make(maker, first.taxa[0] ?? '');
  await maker.stop();
  await relate(place, made);
  const floorCopy = await floorPlace(database, place, folder);
  cleanup.add(() => floorCopy.drop());
  const ids = (await place.rows(`select document_id from encounters order by id limit ${FEW}`)).map(
    ([id]) => String(id),
  );

  const contender = await startContender('ours', place.env);
  cleanup.add(() => contender.stop());
  const floor = await startContender('floor', floorCopy.env);
  cleanup.add(() => floor.stop());
  const path = `${API}/encounter/${ids[0] ?? ''}${INCLUDED}`;
  deepStrictEqual(await get(floor, path), await get(contender, path));

  const next = reads(ids.map((id) => `encounter/${id}${INCLUDED}`));
  const related = await measure(
    'encounter with summaries: read',
    [
      { name: 'ours', contender, next },
      { name: 'floor', contender: floor, next },
    ],
    plan,
  );
  await floor.stop();
  const individuals = await measure(
    'individual: read',
    [FEW, MANY].map((count, at) => ({
      name: `${count} encounters`,
      contender,
      next: reads([`individual/${made.individuals[at] ?? ''}`]),
    })),
    plan,
  );
  const rights = await measureRights(contender, ids, made.sessions, plan);
  await contender.stop();
  return { related, individuals, rights };
}

/**
 * Reads by a user and an administrator in turn, on one connection: the machine varies more from round to round than the
 * check of rights takes.
 */
async function measureRights(
  { url }: Contender,
  ids: readonly string[],
  sessions: Made['sessions'],
  { rounds, seconds, progress }: Plan,
): Promise<ObjectsResult['rights']> {
  const medians: Record<RoleName, number[]> = { user: [], administrator: [] };
  for (let round = 1; round <= rounds; round += 1) {
    progress(`objects: rights, round ${round}`);
    const times: Record<RoleName, number[]> = { user: [], administrator: [] };
    let at = 0;
    const next: NextCall = () => {
      at += 1;
      const name = at % 2 === 0 ? 'user' : 'administrator';
      const path = `${API}/encounter/${ids[at % ids.length] ?? ''}`;
      const done = (_: string, took: number): void => void times[name].push(took);
      return { method: 'GET', path, headers: sessions[name], done };
    };
    await load(url, next, { connections: 1, seconds });
    medians.user.push(median(times.user));
    medians.administrator.push(median(times.administrator));
  }
  return medians;
}

async function make(ours: Contender, taxonomy: string): Promise<Made> {
  const individuals: string[] = [];
  for (const value of ['Few', 'Many'])
    individuals.push(
      await idOf(ours, 'individual', {
        names: [{ context: 'nickname', value, preferred: true }],
        taxonomy,
      }),
    );
  const assets: string[] = [];
  for (let number = 0; number < PHOTOGRAPHS; number += 1) {
    const form = new FormData();
    form.append('file', new Blob([await photograph(number)]), `photograph-${number}.png`);
    assets.push(await idOf(ours, 'asset', form));
  }
  const sessions = {
    user: await newSession(ours, 'user'),
    administrator: await newSession(ours, 'administrator'),
  };
  return { individuals, assets, sessions };
}

const idOf = async (ours: Contender, path: string, body: object): Promise<string> =>
  String((await post(ours, path, body))['id']);

const photograph = (number: number): Promise<Buffer> =>
  sharp({ create: { width: 60 + number, height: 40, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

/** Gives all encounters an owner, an individual and photographs, past the service, which is not running. */
async function relate(place: Place, { individuals: [few, many], assets }: Made): Promise<void> {
  const count = Number((await place.rows('select count(*) from encounters'))[0]?.[0]);
  const columns = (await place.columns('encounters')).filter(
    (name) => name !== 'id' && name !== 'document_id',
  );
  const individual = (id: string | undefined): string =>
    `(select id from individuals where document_id = '${id ?? ''}')`;
  const copies = Math.ceil((FEW + MANY) / count) - 1;
  await place.run(
    ...Array.from(
      { length: copies },
      () => `insert into encounters (document_id, ${columns.join()})
        select cast(gen_random_uuid() as text), ${columns.join()} from encounters order by id limit ${count}`,
    ),
    `update encounters set owner_id = (select min(id) from up_users),
      individual_id = case when id <= (select min(id) from encounters) + ${FEW - 1}
        then ${individual(few)} else ${individual(many)} end`,
    ...assets.map(
      (id, position) => `insert into encounters_assets_lnk (encounter_id, asset_id, asset_ord)
        select e.id, a.id, ${position + 1} from encounters e, assets a where a.document_id = '${id}'`,
    ),
  );
}

/** Reads of these objects in turn. */
function reads(paths: readonly string[]): NextCall {
  let at = 0;
  return () => {
    at += 1;
    return { method: 'GET', path: `${API}/${paths[at % paths.length] ?? ''}` };
  };
}

async function get({ url }: Contender, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return ((await answer.json()) as { response: unknown }).response;
}
