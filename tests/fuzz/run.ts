import { createContractChecker } from '../helpers/contract-checker';
import type { Answer } from '../helpers/http';
import { createRandom } from '../helpers/random';
import { faultOf, strangeLines, warnings } from './answer-faults';
import {
  acceptanceFault,
  contractFault,
  orderFault,
  secretFault,
  secretLines,
  type Exchange,
} from './checks';
import { createForms, type Forms } from './forms';
import { createKnown, NOTHING, type Known } from './known';
import { schedule } from './schedule';
import type { Shot } from './shot';
import { createStories } from './stories';
import type { Target } from './target';

export interface Run {
  /** Answers by their status, of each operation. */
  readonly statuses: ReadonlyMap<string, Readonly<Record<number, number>>>;
  /** Faults, each with the request that caused it. */
  readonly faults: readonly string[];
  /** Requests, with those that follow from the answers to others. */
  readonly sent: number;
}

/** Sends requests, and checks their answers. */
export interface Gun {
  /** A request with what was known in the places of what stands for it. */
  readonly aim: (shot: Shot) => Shot;
  /** Aims, sends, and checks the answer. */
  readonly fire: (shot: Shot) => Promise<Exchange>;
}

/** The number of concurrent requests. */
const AT_ONCE = 4;
/** Requests that are made up at once. */
const CHUNK = 500;
const MAX_FAULTS = 20;

interface Options {
  /** Requests from the document, and beside them to the panel. */
  readonly count: number;
  readonly panel: number;
  readonly seed: number;
  /** Called after each part of a run, with the number of requests that were scheduled until then. */
  readonly onPart?: (done: number) => Promise<void>;
}

/** Sends this many requests; the same seed generates the same ones. */
export async function run(target: Target, { count, panel, seed, onPart }: Options): Promise<Run> {
  const statuses = new Map<string, Record<number, number>>();
  const faults: string[] = [];
  const known = createKnown(target.people.isAccount);
  const forms = await createForms(seed);
  const check = createContractChecker(target.document);
  let sent = 0;
  let done = 0;

  const aim = (shot: Shot): Shot => filled(shot, known, forms, target);
  const fire: Gun['fire'] = async (given) => {
    const shot = aim(given);
    const { request } = shot;
    const answer = await answerTo(target, shot);
    const exchange = { shot, request, answer };
    sent += 1;
    const name = shot.operation?.name ?? (shot.door === 'panel' ? 'panel' : 'links');
    const counts = statuses.get(name) ?? {};
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    statuses.set(name, counts);
    const fault =
      faultOf(request, answer) ??
      secretFault(exchange, target.people) ??
      contractFault(exchange, check) ??
      orderFault(exchange) ??
      acceptanceFault(exchange);
    if (fault !== null) faults.push(described(fault, exchange));
    known.learn(request, answer);
    return exchange;
  };
  const { tell } = createStories({ aim, fire }, (fault, exchange) =>
    faults.push(described(fault, exchange)),
  );
  const shots = schedule(target.document, { count, panel, seed });
  const random = createRandom(seed);

  while (faults.length < MAX_FAULTS) {
    const chunk = Array.from({ length: CHUNK }, () => shots.next().value).filter(
      (shot) => shot !== undefined,
    );
    if (chunk.length === 0) break;
    // What is compared with what was before must not be changed by another request meanwhile.
    const alone = chunk.filter(
      (shot) => shot.door === 'api' && (isBatch(shot) || random.chance(ALONE)),
    );
    const next = chunk.filter((shot) => !alone.includes(shot)).values();
    const fireAll = async (): Promise<void> => {
      for (const shot of next) await fire(shot);
    };
    const fireChunk = async (): Promise<void> => {
      await Promise.all(Array.from({ length: AT_ONCE }, fireAll));
      for (const shot of alone) await tell(shot);
    };
    // With what went wrong before, and what the log says of it.
    const broken = await fireChunk().then(
      () => null,
      (error: unknown) => `after ${sent} requests: ${String(error)}`,
    );
    const log = target.takeLog();
    faults.push(...strangeLines(log), ...secretLines(log, target.people));
    if (broken !== null) {
      faults.splice(0, Math.max(0, faults.length - MAX_FAULTS + 1));
      faults.push([broken, ...warnings(log).slice(-MAX_FAULTS)].join('\n'));
      break;
    }
    done += chunk.length;
    await onPart?.(done);
  }
  return { statuses, faults: faults.slice(0, MAX_FAULTS), sent };
}

/** A batch can be refused when a part of it has been written: each is compared. */
const isBatch = ({ operation }: Shot): boolean => operation?.path.endsWith('/batch') === true;

/** The share of requests that are sent while no other is, and followed by others. */
const ALONE = 0.08;

function filled(given: Shot, known: Known, forms: Forms, { people }: Target): Shot {
  const account = people.own(given.who);
  // An administrator who blocks or demotes the own account would go on as somebody else.
  const own = given.who === 'administrator' ? { ...account, id: NOTHING } : account;
  const { headers = {}, url: template, raw } = given.request;
  const url = known.fill(template, template, own);
  const fill = (text: string): string => known.fill(text, url, own);
  const request = {
    ...given.request,
    url,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(String(value))]),
    ),
    ...(raw === undefined ? {} : { raw: typeof raw === 'string' ? fill(raw) : raw }),
  };
  const { file, ...shot } = given;
  return { ...shot, request: file ? forms.withFile(request, file) : request };
}

/** The answer, after which a caller whose session has ended is another one. */
async function answerTo(target: Target, { request, who, door }: Shot): Promise<Answer> {
  const answer = await target.send(request, who, door);
  const isOut = answer.status === 401 && !('Authorization' in (request.headers ?? {}));
  if (!isOut || who === 'nobody' || (door === 'panel' && who === 'user')) return answer;
  await target.people.renew(who);
  return answer;
}

const described = (fault: string, { shot, request, answer }: Exchange): string =>
  `${fault}: ${JSON.stringify({
    as: `${shot.who} (${shot.door})`,
    kind: `${shot.kind} ${shot.violation ?? ''}`,
    method: request.method,
    url: request.url,
    headers: request.headers,
    raw: String(request.raw ?? '').slice(0, 2000),
    status: answer.status,
    text: answer.text.slice(0, 500),
  })}`;
