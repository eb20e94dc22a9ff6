import { readdirSync, readFileSync } from 'node:fs';
import { isLong, SEED } from '../../helpers/counterexamples';
import { createRandom } from '../../helpers/random';
import { snapshot } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';
import { harmlessOf, isMalformed, WORST_NAMES, worstOf } from './worst';

/** What became of a text. */
export interface Taken {
  /** Of the answer; of an import 400 where it told of a fault. */
  readonly status: number;
  /** What is stored of it: null for nothing, undefined at a door that stores nothing. */
  readonly kept?: unknown;
}

/** A way by which texts come in. */
export interface Door {
  readonly name: string;
  readonly send: (text: string) => Promise<Taken>;
  /** Bytes of the longest text that there is room for, by default nearly a whole body. */
  readonly room?: number;
  /** The bytes of a text as it is sent, by default as JSON. */
  readonly sizeOf?: (text: string) => number;
  /** Where a text is not stored as every other one is: whether this is what is stored of it. */
  readonly keeps?: (text: string, kept: unknown) => boolean;
  /** Whether this is what is stored of a text that is refused; by default nothing is. */
  readonly keepsRefused?: (text: string, kept: unknown) => boolean;
  /** Malformed texts that are left out in silence, or read as others. */
  readonly ignores?: (name: string) => boolean;
  /** A harmless text is kept. */
  readonly isRead?: true;
  /** What comes with a text that is refused is stored all the same. */
  readonly storesRest?: true;
}

/** Bytes of JSON: nearly the largest body. One of marks costs seconds where it is normalized unchecked. */
const ROOM = 900_000;
/** Code units of a text that most fields take; of marks, more than may follow each other. */
const SHORT = 60;

export const jsonSize = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
export const byteSize = (text: string): number => Buffer.byteLength(text);

/** As the contract says that texts are stored (section 1). Of a malformed one it takes as long as it may. */
export const stored = (text: string): string =>
  text.replace(/\r\n?/g, '\n').normalize('NFC').trim();

export const isStored: NonNullable<Door['keeps']> = (text, kept) => kept === stored(text);

/** What no text may contain (contract, section 1). */
const MALFORMED = /\p{Cs}|[^\P{Cc}\t\n]|\p{M}{31}/u;

/** How many times a harmless text's processor time a text may cost, and milliseconds that do not count. */
const FACTOR = 10;
const ALLOWANCE = 150;
/** Other work of the process may fall into one of them. */
const TRIES = 4;

/**
 * Milliseconds of a processor that this process, in which the service runs, and its children have had, those that have
 * ended included: without them the sum falls when one ends.
 */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (
    (user + system) / 1000 +
    endedChildrenTime() +
    childrenOf(process.pid).reduce((sum, pid) => sum + timeOf(pid), 0)
  );
}

/** https://docs.kernel.org/filesystems/proc.html: cutime and cstime, the 16th and 17th field, in hundredths of a second. */
function endedChildrenTime(): number {
  const stat = readText('/proc/self/stat');
  const [cutime = 0, cstime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (cutime + cstime) * 10;
}

/** https://docs.kernel.org/filesystems/proc.html: children of all threads. */
const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const list = readText(`/proc/${pid}/task/${task}/children`);
    return list.split(' ').filter(Boolean).map(Number);
  });

/** Of all threads of a process; the first number of schedstat is nanoseconds. */
function timeOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => Number(readText(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]) / 1e6)
      .reduce((sum, time) => sum + time, 0);
  } catch {
    return 0;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function costOf(door: Door, text: string): Promise<{ taken: Taken; cost: number }> {
  const before = spent();
  const taken = await door.send(text);
  return { taken, cost: spent() - before };
}

interface Case {
  readonly string: string;
  readonly isLong: boolean;
}

const CASES: readonly Case[] = WORST_NAMES.flatMap((string) =>
  [false, true].map((isLong) => ({ string, isLong })),
);

/** Of so many texts the short form sends to a door, to each other ones. */
const SOME = 6;

/**
 * What is wrong with how a door takes the worst texts.
 *
 * @param n which door it is
 */
export async function faultsOf(world: World, door: Door, n: number): Promise<string[]> {
  const faults: string[] = [];
  const usual = new Map<boolean, number>();
  for (const given of isLong ? CASES : createRandom(SEED + n).among(CASES, SOME)) {
    const { room = ROOM, sizeOf = jsonSize } = door;
    const size = given.isLong ? room : SHORT;
    const measure = given.isLong ? sizeOf : (text: string): number => text.length;
    const bound = (): number => FACTOR * (usual.get(given.isLong) ?? 0) + ALLOWANCE;
    if (!usual.has(given.isLong)) {
      const { taken: whole, cost } = await costOf(door, harmlessOf(size, measure));
      if (!given.isLong && door.isRead && typeof whole.kept !== 'string')
        faults.push(`a harmless text is not kept: ${whole.status}`);
      usual.set(given.isLong, cost);
    }
    const text = worstOf(given.string, size, measure);
    const said = (fault: string): unknown =>
      faults.push(`${given.string}, ${given.isLong ? 'long' : 'short'}: ${fault}`);
    const before = await snapshot(world.service);
    const { taken, cost: first } = await costOf(door, text);
    let cost = first;
    const fault = faultOf(door, given, text, taken);
    if (fault !== null) said(fault);
    const isRefused = taken.status >= 400 && !door.storesRest;
    if (isRefused && JSON.stringify(await snapshot(world.service)) !== JSON.stringify(before))
      said(`something was written, and ${taken.status} answered`);
    for (let tries = 1; tries < TRIES && cost > bound(); tries += 1)
      cost = Math.min(cost, (await costOf(door, text)).cost);
    if (cost > bound()) said(`${cost.toFixed(0)} ms, of ${bound().toFixed(0)}`);
  }
  return faults;
}

function faultOf(
  door: Door,
  { string }: Case,
  text: string,
  { status, kept }: Taken,
): string | null {
  const shown = JSON.stringify(kept)?.slice(0, 80);
  if (status >= 500 || status < 200 || (status >= 300 && status < 400)) return `status ${status}`;
  if (isMalformed(string) && status < 400 && !door.ignores?.(string))
    return `${status}, kept ${shown}`;
  if (kept === undefined || kept === null) return null;
  if (typeof kept === 'string' && MALFORMED.test(kept)) return `kept ${shown}`;
  const { keeps = isStored, keepsRefused = (): boolean => false } = door;
  if (status >= 400)
    return keepsRefused(text, kept) ? null : `refused with ${status}, and kept ${shown}`;
  return keeps(text, kept) ? null : `kept ${shown}`;
}
