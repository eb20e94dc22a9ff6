/** Creates of encounters in one batch, beside the same creates one after the other. */
import { startContender, type Contender } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { sampleEncounter } from './data/encounters';
import { createRandom } from './data/random';
import { newSession, type Session } from './data/sessions';
import { load, type Call } from './load';
import type { Plan } from './measure';
import type { BatchResult } from './result';
import type { Theater } from './stage';

/** The operations of a batch. */
const OPERATIONS = 500;

const SEED = 3;

/** Measures it with the taxa of `first`. */
export async function measureBatch(
  { cleanup }: Theater,
  first: Dataset,
  { rounds, signal, progress }: Plan,
): Promise<BatchResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  const contender = await startContender('ours', place.env);
  cleanup.add(() => contender.stop());
  const session = await newSession(contender, 'user');
  const random = createRandom(SEED);
  const samples = () =>
    Array.from({ length: OPERATIONS }, () => sampleEncounter(random, first.taxa));
  const results: { oneByOne: number; together: number }[] = [];
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    progress(`batch: ${round} of ${rounds}`);
    const oneByOne = await timed(
      contender,
      samples().map((body) => post(session, 'encounter', body)),
    );
    const operations = samples().map((body) => ({ op: 'create', type: 'encounter', body }));
    const together = await timed(contender, [post(session, 'batch', { operations })]);
    if (round > 0) results.push({ oneByOne, together });
  }
  await contender.stop();
  return { operations: OPERATIONS, rounds: results };
}

const post = (session: Session, path: string, body: object): Call => ({
  method: 'POST',
  path: `/api/v0/${path}`,
  headers: { ...session, 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

/** Milliseconds that these calls take on one connection. */
async function timed({ url }: Contender, calls: readonly Call[]): Promise<number> {
  const left = [...calls];
  const { seconds } = await load(url, () => left.shift() ?? null, { connections: 1 });
  return seconds * 1000;
}
