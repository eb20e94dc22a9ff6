// @databases sqlite postgres
// @long
import * as fc from 'fast-check';
import { isLong, SEED as seed } from '../helpers/counterexamples';
import { testDatabase } from '../helpers/database';
import { growthOf } from './heap';
import { panelPlaces } from './panel-places';
import { placesOf, type Place } from './places';
import { processorTime } from './processor-time';
import { run } from './run';
import { STRINGS, stringOf, stringOfSize } from './strings';
import { startTarget, type Target } from './target';

/** Requests that are made from the document. */
const COUNT = isLong ? 1_000_000 : testDatabase === 'sqlite' ? 3_000 : 1_000;
const count = Number(process.env['OMS_FUZZ_COUNT'] ?? COUNT);
/** Requests to the panel beside them. */
const panel = Math.ceil(count / (isLong ? 50 : 12));

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});
afterAll(async () => {
  await target?.close();
});

/** Milliseconds of a processor that a text may cost in any case. */
const MAX_COST = 50;
/** More than that is for what is stored, whose length alone decides: so many times the cost of one letter as often, at most. */
const MAX_RATIO = 3;
/** Milliseconds that nothing may cost. */
const MAX_EVER = 500;
/** Until what the text passes through is compiled, and other programs leave the processor alone. */
const MAX_TRIES = 20;

/** Places of which the short form asks. */
const SOME = 300;

/** Bytes: nearly a whole body; a URL and headers that are not too long. */
const BODY = 900_000;
const URL = 7_500;
const HEADER = 12_000;
/** Code units of a text that many a field takes. */
const LONG = 4_000;

/** The longest text that a request has room for. */
function longest({ in: where, times }: Place, name: string): string {
  if (where === 'url') return stringOfSize(name, URL, encodeURIComponent);
  return where === 'body' ? stringOfSize(name, BODY / times) : stringOfSize(name, HEADER, String);
}

/** How long a text is. */
const SIZES: Readonly<Record<string, (place: Place, name: string) => number>> = {
  'as much as a request holds': () => Infinity,
  'below that': (place) => LONG / place.times,
  'as many characters as the field': ({ max }) => max ?? 255,
  'as many as anybody looks at': ({ max }) => 4 * (max ?? 255),
};

interface Case {
  readonly place: Place;
  readonly string: string;
  readonly size: string;
}

function textOf({ place, string, size }: Case): string {
  const room = longest(place, string);
  const length = SIZES[size]?.(place, string) ?? 0;
  return length < room.length ? stringOf(string, Math.floor(length)) : room;
}

/** One for each string and place in the long form; else one for each of some places. */
function cases(places: readonly Place[]): Case[] {
  const some = isLong
    ? places.flatMap((place) => STRINGS.map((string) => ({ place, string })))
    : shuffled(places)
        .slice(0, SOME)
        .map((place, n) => ({ place, string: STRINGS[n % STRINGS.length] ?? '' }));
  const sizes = fc.sample(fc.constantFrom(...Object.keys(SIZES)), { seed, numRuns: some.length });
  return some.map((one, n) => ({ ...one, size: sizes[n] ?? '' }));
}

function shuffled<T>(items: readonly T[]): T[] {
  const all = { minLength: items.length, maxLength: items.length };
  return fc.sample(fc.shuffledSubarray([...items], all), { seed, numRuns: 1 })[0] ?? [];
}

/** What is wrong with how a text is taken, null when nothing is. */
async function faultOf(given: Case): Promise<string | null> {
  const text = textOf(given);
  const cost = await costOf(given, text);
  if (typeof cost === 'string') return cost;
  if (cost <= MAX_COST) return null;
  const plain = await costOf(given, stringOf('one letter', text.length));
  const bound = Math.min(MAX_RATIO * Number(plain), MAX_EVER);
  return cost <= bound ? null : `${described(given)}: ${cost.toFixed(0)} of ${bound.toFixed(0)} ms`;
}

/** The milliseconds that a text costs in the place of another one, or what is wrong with how it is taken. */
async function costOf(given: Case, sent: string): Promise<number | string> {
  const request = given.place.request(sent);
  let least = Infinity;
  for (let tries = 0; tries < MAX_TRIES && least > MAX_COST; tries += 1) {
    const before = await processorTime(target.pid);
    const { status, text } = await target
      .send(request, given.place.who, given.place.door)
      // What is too large may be refused before all of it is sent.
      .catch(() => ({ status: 413, text: '' }));
    least = Math.min(least, (await processorTime(target.pid)) - before);
    if (status >= 500) return `${described(given)}: ${status} ${text.slice(0, 200)}`;
    if (status === 401 && given.place.who !== 'nobody' && given.place.who !== 'user')
      await target.people.renew('administrator');
  }
  return least;
}

const described = ({ place, string, size }: Case): string => `${place.name}: ${string}, ${size}`;

/** It is the service that a text costs time, on either database. */
async function expectCheapTexts(): Promise<void> {
  const given = cases([...placesOf(target.document), ...panelPlaces()]);
  const faults: string[] = [];
  for (const one of given) {
    const fault = await faultOf(one);
    if (fault !== null) faults.push(fault);
  }
  process.stdout.write(`${given.length} texts, seed ${seed}\n`);
  expect(faults).toEqual([]);
}

if (testDatabase === 'sqlite')
  test(
    'no text costs more processor time than its length, in any place',
    expectCheapTexts,
    3_600_000,
  );

test('each answer to a request made from the document is one that the document allows', async () => {
  const heap = isLong ? growthOf(target, count) : null;
  const started = Date.now();
  const { statuses, faults, sent } = await run(target, {
    count,
    panel,
    seed,
    ...(heap ? { onPart: heap.look } : {}),
  });
  process.stdout.write(report(statuses, { sent, milliseconds: Date.now() - started }));
  // All of it is told, also where a part is not well.
  const isWell = target.isWell();
  const growth = isWell ? ((await heap?.fault()) ?? null) : null;
  expect({ faults, isWell, growth }).toEqual({ faults: [], isWell: true, growth: null });
}, 86_400_000);

type Statuses = Awaited<ReturnType<typeof run>>['statuses'];

/** What was sent and answered: in all, and in the long form of each operation. */
function report(
  statuses: Statuses,
  { sent, milliseconds }: { sent: number; milliseconds: number },
): string {
  const totals: Record<string, number> = {};
  for (const counts of statuses.values())
    for (const [status, many] of Object.entries(counts))
      totals[status] = (totals[status] ?? 0) + many;
  const rate = Math.round((1000 * sent) / milliseconds);
  const lines = isLong
    ? [...statuses].sort().map(([name, counts]) => `${name}: ${JSON.stringify(counts)}`)
    : [];
  return [
    `${sent} requests, seed ${seed}, ${rate} in a second: ${JSON.stringify(totals)}`,
    ...lines,
    '',
  ].join('\n');
}
