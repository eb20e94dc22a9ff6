/** What the panel's list of encounters costs a moderator, with few encounters and with many. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startContender, type Contender } from './contenders/contender';
import { post } from './data/sessions';
import { generatePackage } from './generate/package';
import type { NextCall } from './load';
import { measure, type Participant, type Plan } from './measure';
import { newFolder, type Place } from './places/place';
import type { PanelListsResult } from './result';
import { emptyPlace, type Theater } from './stage';

const UID = 'api::encounter.encounter';
const PASSWORD = 'correct horse battery';
const SEED = 1;

/** A service with so many encounters, and the session of a moderator. */
interface Site {
  readonly name: string;
  readonly contender: Contender;
  readonly token: string;
  readonly taxa: Readonly<Record<'common' | 'rare', string>>;
}

/** Measures lists of so many encounters, with one connection: somebody looks at a page at a time. */
export async function measurePanelLists(
  theater: Theater,
  sizes: readonly number[],
  plan: Plan,
): Promise<PanelListsResult> {
  const sites: Site[] = [];
  for (const size of sizes) {
    plan.progress(`panel lists: makes ${size} encounters`);
    sites.push(await makeSite(theater, size));
  }
  const measurements = [];
  for (const [title, path] of Object.entries(PATHS)) {
    const participants = sites.map((site): Participant => ({
      name: site.name,
      contender: site.contender,
      next: asking(site, path(site)),
    }));
    measurements.push(await measure(title, participants, plan));
  }
  for (const { contender } of sites) await contender.stop();
  return { sizes, measurements };
}

const list = (query: string): string =>
  `/content-manager/collection-types/${UID}?page=1&pageSize=50&${query}`;
const filtered = (conditions: string): string =>
  list(`sort=createdAt:DESC&${conditions.replaceAll('f.', 'filters[$and][0]')}`);

/** What is asked for, by what it is. */
const PATHS: Readonly<Record<string, (site: Site) => string>> = {
  'opened, the newest first': () => list('sort=createdAt:DESC'),
  'in the order of time': () => list('sort=time:DESC'),
  'page 100': () => list('sort=createdAt:DESC').replace('page=1', 'page=100'),
  'by a state of none': () => filtered('f.[state][$eq]=rejected'),
  'by a state of most': () => filtered('f.[state][$eq]=approved'),
  'by a common taxon': ({ taxa }) => filtered(`f.[taxonomy][scientificName][$eq]=${taxa.common}`),
  'by a rare taxon': ({ taxa }) => filtered(`f.[taxonomy][scientificName][$eq]=${taxa.rare}`),
  'by a text, no index': () => filtered('f.[samplingProtocol][$containsi]=nothing'),
  'by a number, no index': () => filtered('f.[groupSize][$gte]=3'),
  'without a taxon': () => filtered('f.[taxonomy][id][$null]=true'),
  'words of a common name': ({ taxa }) => list(`sort=createdAt:DESC&_q=${taxa.common}`),
  'words of a rare name': ({ taxa }) => list(`sort=createdAt:DESC&_q=${taxa.rare}`),
  'words of none': () => list('sort=createdAt:DESC&_q=nothing+at+all'),
  'picker of taxa, words': ({ taxa }) =>
    `/content-manager/relations/${UID}/taxonomy?page=1&pageSize=10&_q=${taxa.rare}`,
  'picker of encounters': () =>
    '/content-manager/relations/plugin::users-permissions.user/followedEncounters?page=1&pageSize=10',
};

function asking({ token }: Site, path: string): NextCall {
  const headers = { authorization: `Bearer ${token}` };
  const call = { method: 'GET', path: encodeURI(path), headers } as const;
  return () => call;
}

async function makeSite(theater: Theater, encounters: number): Promise<Site> {
  const place = await emptyPlace(theater);
  const folder = newFolder(theater.folder);
  generatePackage({ encounters, folder, seed: SEED });
  await importPackage(place, folder);
  rmSync(folder, { recursive: true });
  // What a new database has to be made anew: the import has kept all of it.
  await place.run('delete from oms_search_jobs', 'delete from oms_privacy_jobs');
  const [common, rare] = await taxaOf(place);
  const contender = await startContender('ours', place.env);
  theater.cleanup.add(() => contender.stop());
  const token = await signIn(contender);
  return { name: `${encounters} encounters`, contender, token, taxa: { common, rare } };
}

async function importPackage({ env }: Place, folder: string): Promise<void> {
  const script = join(__dirname, '..', 'scripts', 'import.js');
  const { PATH, HOME, TMPDIR } = process.env;
  await promisify(execFile)(process.execPath, [script, folder], {
    env: { PATH, HOME, TMPDIR, ...env },
    maxBuffer: 2 ** 26,
  });
}

/** The names of the most frequent taxon and of a seldom one. */
async function taxaOf(place: Place): Promise<readonly [string, string]> {
  const rows = await place.rows(
    `select t.scientific_name from (
      select taxonomy_id, count(*) as n from encounters group by taxonomy_id) e
      join taxonomies t on t.id = e.taxonomy_id order by e.n desc, t.id`,
  );
  const names = rows.map(([name]) => String(name));
  return [names[0] ?? '', names[Math.floor(names.length * 0.8)] ?? ''];
}

async function signIn(contender: Contender): Promise<string> {
  const email = 'moderator@example.org';
  await post(contender, 'user', { name: 'Mo', email, password: PASSWORD, role: 'moderator' });
  const answer = await fetch(`${contender.url}/admin/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`the sign-in was answered with ${answer.status}`);
  const { data } = (await answer.json()) as { data: { token: string } };
  return data.token;
}
