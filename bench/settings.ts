/** The cost of the site settings: reading them, and creates of encounters with ten custom fields. */
import { deepStrictEqual } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startContender, type Contender } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { sampleEncounter } from './data/encounters';
import { createRandom } from './data/random';
import { SITE_WITH_TEN_FIELDS, tenValues } from './data/site';
import { floorPlace } from './floor/place';
import { askOnce, type Call, type NextCall } from './load';
import { measure, type Plan } from './measure';
import { createProfiler } from './profile';
import type { SettingsResult } from './result';
import type { Theater } from './stage';

const PATH = '/api/v0/site_settings';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** Prepared bodies, so that the load generator need not create them during the measurement. */
const PREPARED = 2000;

const SEED = 2;

/**
 * Measures with the taxa of `first`.
 *
 * @param profiles the prefix of the paths of profiles, null for none
 */
export async function measureSettings(
  { cleanup, database, folder }: Theater,
  first: Dataset,
  plan: Plan,
  profiles: string | null,
): Promise<SettingsResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  // A definition that records use could not be removed.
  await place.run('update encounters set custom_fields = null');
  const copy = await place.copy();
  cleanup.add(() => copy.drop());
  const floorCopy = await floorPlace(database, place, folder);
  cleanup.add(() => floorCopy.drop());

  const withTen = await startContender('ours', place.env);
  cleanup.add(() => withTen.stop());
  const without = await startContender('ours', copy.env);
  cleanup.add(() => without.stop());
  await put(withTen, SITE_WITH_TEN_FIELDS);
  await put(without, { ...SITE_WITH_TEN_FIELDS, custom_fields: { encounter: [] } });
  const file = join(folder, 'site-settings.json');
  writeFileSync(file, JSON.stringify(await get(withTen)));
  const floor = await startContender('floor', { ...floorCopy.env, BENCH_SETTINGS: file });
  cleanup.add(() => floor.stop());
  deepStrictEqual(await get(floor), await get(withTen));

  const next: NextCall = () => ({ method: 'GET', path: PATH });
  const reader = { name: 'ours', contender: withTen, next };
  const reads = await measure(
    'settings: read',
    [reader, { name: 'floor', contender: floor, next }],
    plan,
  );

  await floor.stop();
  const creator = {
    name: 'ten custom fields',
    contender: withTen,
    next: creates(first, (custom_fields) => ({ custom_fields })),
  };
  const creations = await measure(
    'settings: create',
    [{ name: 'as a remark', contender: without, next: creates(first, asRemark) }, creator],
    plan,
  );
  if (profiles !== null) {
    const profiler = createProfiler(withTen, profiles);
    await profiler.profile('settings-read', reader, plan);
    await profiler.profile('settings-create', creator, plan);
  }
  for (const contender of [withTen, without]) await contender.stop();
  return { reads, creates: creations };
}

/** The same values as one text, so that the same amount is stored: what differs is the check. */
const asRemark = (values: object): object => ({ remarks: JSON.stringify(values) });

/** What a sample has besides. */
const WITHOUT = { remarks: null, custom_fields: {} };

/** Creates of the same encounters in the same order, with ten values of the instance's own. */
function creates({ taxa }: Dataset, fieldsOf: (values: object) => object): NextCall {
  const [random, further] = [createRandom(SEED), createRandom(SEED)];
  const calls = Array.from({ length: PREPARED }, (): Call => {
    const values = tenValues(further);
    const sample = sampleEncounter(random, taxa);
    const body = Buffer.from(JSON.stringify({ ...sample, ...WITHOUT, ...fieldsOf(values) }));
    return { method: 'POST', path: '/api/v0/encounter', headers: JSON_HEADERS, body };
  });
  let at = 0;
  return () => {
    at += 1;
    return calls[at % PREPARED] ?? null;
  };
}

const put = ({ url }: Contender, settings: object): Promise<void> =>
  askOnce(url, {
    method: 'PUT',
    path: PATH,
    headers: JSON_HEADERS,
    body: Buffer.from(JSON.stringify(settings)),
  });

/** @throws Error when there is no ETag, or it is not answered with 304 */
async function get({ url }: Contender): Promise<unknown> {
  const answer = await fetch(url + PATH);
  const etag = answer.headers.get('etag');
  if (!answer.ok || etag === null) throw new Error(`${PATH} answered ${answer.status}`);
  const again = await fetch(url + PATH, { headers: { 'If-None-Match': etag } });
  if (again.status !== 304) throw new Error(`${PATH} answered ${again.status} to its own ETag`);
  return ((await answer.json()) as { response: unknown }).response;
}
