import * as fc from 'fast-check';
import type { Json } from '../helpers/json';
import { createRandom } from '../helpers/random';
import { requestsOf } from './api-requests';
import { operationsOf, type Operation } from './operations';
import { panelShots } from './panel-requests';
import { WHO, type Who } from './people';
import type { Kind, Shot } from './shot';

interface Size {
  readonly count: number;
  readonly panel: number;
  readonly seed: number;
}

/** In twenty: how many requests of an operation are of which kind. */
const KINDS: readonly Kind[] = [
  ...Array<Kind>(9).fill('valid'),
  ...Array<Kind>(8).fill('nearly valid'),
  ...Array<Kind>(3).fill('hostile'),
];

/** Requests of a kind that are made at once: the library's first ones are the smallest. */
const BATCH = 12;

/** Rounds over what creates objects, so that the others have some to work on. */
const FIRST = 2;

/** Requests of every operation as each of the callers, by turns, with those to the panel spread among them. */
export function* schedule(
  document: Json,
  { count, panel, seed }: Size,
): Generator<Shot, undefined> {
  const operations = operationsOf(document);
  const random = createRandom(seed);
  const take = supply(seed);
  const ofPanel = batches(panelShots(), seed);
  let sent = 0;
  let toPanel = 0;
  for (const shot of beginnings(operations, take)) {
    if (sent === count) return undefined;
    sent += 1;
    yield shot;
  }
  for (;;) {
    const turns = operations.flatMap((operation) => WHO.map((who) => ({ operation, who })));
    for (const { operation, who } of random.among(turns, turns.length)) {
      if (sent === count) return undefined;
      sent += 1;
      if (endsSession(operation, who) && !random.chance(SELDOM)) {
        yield { ...take(operation, random.pick(KINDS)), who: 'nobody' };
        continue;
      }
      yield { ...take(operation, random.pick(KINDS)), who };
      if (toPanel < (panel * sent) / count) {
        toPanel += 1;
        yield ofPanel();
      }
    }
  }
}

/** Each further account costs as much as a hundred requests. */
const SELDOM = 0.1;
const endsSession = ({ name }: Operation, who: Who): boolean =>
  who !== 'nobody' && (name.endsWith('/logout') || name.endsWith('/login'));

type Take = (operation: Operation, kind: Kind) => Shot;

function* beginnings(operations: readonly Operation[], take: Take): Generator<Shot> {
  const creates = operations.filter(
    ({ method, path, type }) => method === 'POST' && path === `/api/v0/${type}`,
  );
  for (let n = 0; n < FIRST; n += 1)
    for (const who of ['administrator', 'user', 'moderator'] as const)
      for (const operation of creates) yield { ...take(operation, 'valid'), who };
}

/** Requests of each operation and kind, a batch at a time. */
function supply(seed: number): Take {
  const kept = new Map<string, () => Shot>();
  return (operation, kind) => {
    const key = `${kind} ${operation.name}`;
    const next =
      kept.get(key) ?? batches(requestsOf(operation, kind), seed + kept.size * 1_000_003);
    kept.set(key, next);
    return next();
  };
}

function batches(shots: fc.Arbitrary<Shot>, seed: number): () => Shot {
  let batch: Shot[] = [];
  let number = 0;
  return () => {
    if (batch.length === 0) {
      batch = fc.sample(shots, { seed: seed + number, numRuns: BATCH });
      number += 1;
    }
    return batch.shift() as Shot;
  };
}
