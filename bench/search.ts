/** What searches cost over HTTP, with few encounters and with many. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startContender, type Contender } from './contenders/contender';
import { grow, type Dataset } from './data/dataset';
import { BOXES, spanOf, vary, type Where } from './data/searched';
import { newSession, post } from './data/sessions';
import { load, type NextCall } from './load';
import { measure, type Participant, type Plan } from './measure';
import type { Place } from './places/place';
import type { SearchResult } from './result';
import type { Theater } from './stage';
import { percentile } from './statistics';

type Caller = 'moderator' | 'user' | 'anonymous';
type Headers = Readonly<Record<string, string>>;

/** Encounters of which conditions find few or many. */
export interface Searched {
  readonly place: Place;
  readonly callers: Readonly<Record<Caller, Headers>>;
  /** The IDs of accounts, with few encounters each. */
  readonly owners: Readonly<Record<Where, string>>;
  readonly taxa: Readonly<Record<Where | 'birds', string>>;
}

/** A service with so many of them. */
interface Site extends Searched {
  readonly size: number;
  readonly contender: Contender;
}

const PAGE = 'limit=25&sort=-time';

/** What is asked for, by what it is. */
const SELECTIVE: Readonly<Record<string, (site: Site, where: Where) => string>> = {
  'an owner': ({ owners }, where) => `owner=${owners[where]}`,
  'a span of time': ({ size }, where) => {
    const [from, to] = spanOf(where, size);
    return `time_min=${from}&time_max=${to}`;
  },
  'a box': (_, where) => `bbox=${BOXES[where].join()}`,
  near: (_, where) => `near=${BOXES[where][1] + 0.5},${BOXES[where][0] + 0.5},120`,
  'a word': (_, where) => `q=${where === 'spread' ? 'zorilla' : 'aardwolf'}`,
  'a taxon and all below': ({ taxa }, where) => `taxonomy_under=${taxa[where]}`,
  'a mix of three': ({ owners }, where) => `owner=${owners[where]}&q=seen&bbox=-180,-90,180,90`,
};
const BROAD: Readonly<Record<string, (site: Site) => string>> = {
  all: () => '',
  'a country, 10 %': () => 'country_code=TZ',
  'a box, 10 %': () => 'bbox=-20,-85,10,85',
  'a word, 10 %': () => 'q=meander',
  'a state since a day': ({ size }) => `state=approved&time_min=${spanOf('spread', size)[0]}`,
  'a class': ({ taxa }) => `taxonomy_under=${taxa.birds}`,
  'two words': () => 'q=meander+boulder',
  'a word, a country and a class': ({ taxa }) =>
    `q=meander&country_code=TZ&taxonomy_under=${taxa.birds}`,
  'three letters': () => 'q=mea',
  'one letter': () => 'q=s',
  'no index': () => 'sex=male',
};

/** Of the seconds of a round: there are many questions. */
const PART = 0.25;

/** Measures with one connection. */
export async function measureSearch(
  theater: Theater,
  first: Dataset,
  sizes: readonly number[],
  plan: Plan,
): Promise<SearchResult> {
  const sites: Site[] = [];
  for (const size of sizes) {
    plan.progress(`search: makes ${size} encounters`);
    sites.push(await makeSite(theater, first, size));
  }
  const measurements = [];
  for (const caller of ['moderator', 'user', 'anonymous'] as const) {
    const ask = (title: string, queryOf: (site: Site) => string) =>
      measure(
        `${caller}: ${title}`,
        sites.map((site): Participant => {
          const path = `/api/v0/search/encounter?${PAGE}&${queryOf(site)}`;
          return {
            name: nameOf(site),
            contender: site.contender,
            next: asking(path, site.callers[caller]),
          };
        }),
        { ...plan, seconds: plan.seconds * PART },
      );
    for (const [title, queryOf] of Object.entries(SELECTIVE))
      for (const where of ['spread', 'oldest'] as const)
        measurements.push(await ask(`${title}, ${where}`, (site) => queryOf(site, where)));
    for (const [title, queryOf] of Object.entries(BROAD)) {
      measurements.push(await ask(title, queryOf));
      measurements.push(
        await ask(`${title}, not counted`, (site) => `count=none&${queryOf(site)}`),
      );
    }
  }
  const last = sites.at(-1);
  const rest = last ? await measureRest(last, plan) : null;
  for (const { contender } of sites) await contender.stop();
  return { sizes, measurements, rest };
}

const nameOf = ({ size }: Site): string => `${size} encounters`;

/** The same request again and again. */
export function asking(path: string, headers: Headers): NextCall {
  const call = { method: 'GET', path, headers } as const;
  return () => call;
}

async function makeSite(theater: Theater, first: Dataset, size: number): Promise<Site> {
  const searched = await makeSearched(theater, first, size);
  const env = { ...searched.place.env, BENCH_ANONYMOUS: 'anonymous' };
  const contender = await startContender('ours', env);
  theater.cleanup.add(() => contender.stop());
  return { ...searched, size, contender };
}

/** Makes so many encounters, with all that searches need. No service runs on them. */
export async function makeSearched(
  theater: Theater,
  first: Dataset,
  size: number,
): Promise<Searched> {
  const place = await first.place.copy();
  theater.cleanup.add(() => place.drop());
  const maker = await startContender('ours', place.env);
  theater.cleanup.add(() => maker.stop());
  const callers = {
    moderator: await newSession(maker, 'moderator'),
    user: await newSession(maker, 'user'),
    anonymous: {},
  };
  const idOf = async (type: string, body: object): Promise<string> =>
    String((await post(maker, type, body))['id']);
  const both = async (make: (where: Where) => Promise<string>) => ({
    spread: await make('spread'),
    oldest: await make('oldest'),
  });
  const owners = await both((where) =>
    idOf('user', { name: where, email: `${where}@example.org`, password: 'correct horse battery' }),
  );
  const genera = await both((where) => idOf('taxonomy', { scientific_name: `Genus ${where}` }));
  const species = await both((where) =>
    idOf('taxonomy', { scientific_name: `Species ${where}`, parent: genera[where] }),
  );
  await maker.stop();
  await grow({ ...first, place }, size);
  await vary(place, size, { owners, taxa: species });
  const [birds = []] = await place.rows(
    `select document_id from taxonomies where scientific_name = 'Aves'`,
  );
  const { PATH, HOME, TMPDIR } = process.env;
  await promisify(execFile)(process.execPath, [join(__dirname, '..', 'scripts', 'rebuild.js')], {
    env: { PATH, HOME, TMPDIR, ...place.env },
  });
  // As autovacuum does within a minute.
  if (theater.database === 'postgres') await place.run('vacuum analyze');
  return { place, callers, owners, taxa: { ...genera, birds: String(birds[0]) } };
}

/** Pages far behind, an export, and reads beside heavy searches. */
async function measureRest(
  { contender, callers }: Site,
  { rounds, seconds, connections, progress }: Plan,
): Promise<SearchResult['rest']> {
  const headers = callers.moderator;
  const time = async (path: string): Promise<readonly [number, string]> => {
    const start = performance.now();
    const answer = await fetch(`${contender.url}/api/v0/${path}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return [performance.now() - start, text];
  };
  progress('search: pages');
  const nextOf = (text: string): string | null =>
    (JSON.parse(text) as { response: { next: string | null } }).response.next;
  const page = (limit: number, cursor: string | null): string =>
    `search/encounter?sort=-time&count=none&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
  let cursor: string | null = null;
  for (let n = 0; n < 25; n += 1) cursor = nextOf((await time(page(1000, cursor)))[1]);
  const pageTimes = async (from: string | null): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < 200; n += 1) times.push((await time(page(25, from)))[0]);
    return percentile(Float64Array.from(times).sort(), 0.5);
  };
  await pageTimes(null);
  const pages = { first: await pageTimes(null), thousandth: await pageTimes(cursor) };

  progress('search: export');
  const rows = await csvRows(await exportOf(contender, headers)); // and warms up
  const before = (await contender.usage()).rss;
  const took: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const start = performance.now();
    await csvRows(await exportOf(contender, headers));
    took.push((performance.now() - start) / 1000);
  }
  const median = percentile(Float64Array.from(took).sort(), 0.5);
  const exported = { rows, seconds: median, memory: (await contender.usage()).rss - before };

  progress('search: reads beside searches');
  const { matches } = JSON.parse((await time('search/encounter?limit=1000'))[1]) as {
    matches: string[];
  };
  let at = 0;
  const read: NextCall = () => ({
    method: 'GET',
    path: `/api/v0/encounter/${matches[(at += 1) % matches.length] ?? ''}`,
    headers,
  });
  await load(contender.url, read, { connections, seconds });
  const alone = await load(contender.url, read, { connections, seconds });
  let isDone = false;
  const heavy = load(
    contender.url,
    () =>
      isDone
        ? null
        : {
            method: 'GET',
            path: '/api/v0/search/encounter?q=s&sex=male&count=exact&sort=-time',
            headers,
          },
    { connections: 10 },
  );
  const meanwhile = await load(contender.url, read, { connections, seconds });
  isDone = true;
  await heavy;
  const p99 = ({ latencies }: { latencies: Float64Array }): number => percentile(latencies, 0.99);
  return { pages, exported, reads: { alone: p99(alone), meanwhile: p99(meanwhile) } };
}

/** An export of what a tenth of all encounters meet. */
const exportOf = ({ url }: Contender, headers: Headers): Promise<Response> =>
  fetch(`${url}/api/v0/export/encounter?format=csv&country_code=TZ`, { headers });

/** Reads a table to its end. @returns its rows, without the header */
async function csvRows({ ok, body }: Response): Promise<number> {
  if (!ok || !body) throw new Error('the export was refused');
  let lines = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
    for (const byte of chunk) if (byte === 10) lines += 1;
  return lines - 1;
}
