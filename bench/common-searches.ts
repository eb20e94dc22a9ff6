/** The searches that frontends ask most, with ten connections, beside a peer where one is given. */
import { startContender, type Contender, type Measured } from './contenders/contender';
import { peerId, peerTime, startPocketBase } from './contenders/pocketbase';
import type { Dataset } from './data/dataset';
import { BOXES, spanOf } from './data/searched';
import { measure, type Participant, type Plan } from './measure';
import { newFolder } from './places/place';
import type { CommonSearchesResult } from './result';
import { asking, makeSearched, type Searched } from './search';
import type { Theater } from './stage';

const PAGE = 20;

interface Site extends Searched {
  readonly ours: Contender;
  readonly peer: Measured | null;
}

/** The parameters of a search, by ours and by PocketBase's names. */
type Search = Readonly<Record<'ours' | 'peer', string>>;

const [west, south, east, north] = BOXES.spread;

const SEARCHES: Readonly<Record<string, (size: number) => Search>> = {
  'a list, 3 %': newest,
  'a list without its total': (size) => {
    const { ours, peer } = newest(size);
    return { ours: `${ours}&count=none`, peer: `${peer}&skipTotal=1` };
  },
  'a box': () => ({
    ours: `bbox=${BOXES.spread.join()}`,
    peer: filter(`longitude>=${west}&&longitude<=${east}&&latitude>=${south}&&latitude<=${north}`),
  }),
  'a frequent word, 10 %': () => ({ ours: 'q=meander', peer: filter("remarks~'meander'") }),
  'a rare word': () => ({ ours: 'q=zorilla', peer: filter("remarks~'zorilla'") }),
};

/** The newest of a state and a span of time, in which 3 % are. */
function newest(size: number): Search {
  const [from, to] = spanOf('spread', size, size * 0.03);
  const between = `time>='${peerTime(from)}'&&time<='${peerTime(to)}'`;
  return {
    ours: `state=approved&time_min=${from}&time_max=${to}`,
    peer: filter(`state='approved'&&${between}`),
  };
}

function filter(condition: string): string {
  return `filter=${encodeURIComponent(condition)}`;
}

/** The callers of ours: one who sees all, and a stranger, for whom places and times of some are hidden. */
const CALLERS = ['moderator', 'anonymous'] as const;

/**
 * @param binary the path of the peer's; null for ours alone
 * @throws Error where both do not find the same encounters for somebody who sees all
 */
export async function measureCommonSearches(
  theater: Theater,
  first: Dataset,
  sizes: readonly number[],
  binary: string | null,
  plan: Plan,
): Promise<CommonSearchesResult> {
  const measurements = [];
  for (const size of sizes) {
    plan.progress(`common searches: makes ${size} encounters`);
    const site = await makeSite(theater, first, size, binary);
    const { ours, peer, callers } = site;
    for (const [title, searchOf] of Object.entries(SEARCHES)) {
      const search = searchOf(size);
      if (peer) await verify(title, site, search);
      const participants = CALLERS.map((caller): Participant => ({
        name: caller,
        contender: ours,
        next: asking(oursPath(search), callers[caller]),
      }));
      if (peer)
        participants.push({ name: 'peer', contender: peer, next: asking(peerPath(search), {}) });
      measurements.push(await measure(`${title}, ${size} encounters`, participants, plan));
    }
    await ours.stop();
  }
  return { measurements };
}

async function makeSite(
  theater: Theater,
  first: Dataset,
  size: number,
  binary: string | null,
): Promise<Site> {
  const searched = await makeSearched(theater, first, size);
  const { place } = searched;
  const peer =
    binary === null ? null : await startPocketBase(binary, newFolder(theater.folder), place);
  if (peer) theater.cleanup.add(() => peer.stop());
  const ours = await startContender('ours', { ...place.env, BENCH_ANONYMOUS: 'anonymous' });
  theater.cleanup.add(() => ours.stop());
  return { ...searched, ours, peer };
}

const oursPath = ({ ours }: Search): string =>
  `/api/v0/search/encounter?expand=true&limit=${PAGE}&sort=-time&${ours}`;

const peerPath = ({ peer }: Search): string =>
  `/api/collections/encounters/records?perPage=${PAGE}&sort=-time&${peer}`;

/** Both find the same encounters, in the same order. */
async function verify(title: string, { ours, peer, callers }: Site, search: Search): Promise<void> {
  const ask = async (url: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(url, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
  const { matches } = (await ask(`${ours.url}${oursPath(search)}`, callers.moderator)) as {
    readonly matches: readonly string[];
  };
  const { items } = (await ask(`${peer?.url}${peerPath(search)}`, {})) as {
    readonly items: readonly { readonly id: string }[];
  };
  const [found, expected] = [matches.map(peerId), items.map(({ id }) => id)];
  if (found.length === 0 || found.join() !== expected.join())
    throw new Error(`${title}: ours found ${found.join()}, the peer ${expected.join()}`);
}
