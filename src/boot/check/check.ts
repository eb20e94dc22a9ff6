/** Checks an installation, and makes right what can be computed again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../core/start-error';
import { raw } from '../../plugins/objects/server/database/sql';
import type { DatabaseBeside } from '../beside';
import { CHECK_KINDS, type FaultFound, type CheckKind, type Probe } from './probe';

/** Milliseconds after which what differs is looked at again: it may have been read while it changed. */
const PATIENCE = 250;

/** How often that is waited for: where much is wrong, it is no change meanwhile. */
const WAITS = 40;

/** IDs that are named of each kind. */
const EXAMPLES = 3;

/** What was found of a kind. */
export interface Result {
  /** Things that are not as they should be, and are not repaired. */
  readonly wrong: number;
  readonly repaired: number;
  /** Some that are wrong; where all are repaired, some of these. */
  readonly examples: readonly string[];
  /** Why something could not be repaired; null where there was no error. */
  readonly failure: string | null;
}

export interface CheckReport {
  readonly results: ReadonlyMap<CheckKind, Result>;
  /** What differs while the service computes it anew: it is not wrong yet. */
  readonly waiting: number;
}

/** What is left to be computed anew in the background. */
const LEFT_TO_COMPUTE = raw(
  `select type from oms_search_jobs union all select kind from oms_privacy_jobs
    union all select type from oms_projections where state = 'building'`,
);

/** Looks at everything, one after the other, and repairs what can be and may be. */
export async function check(
  probes: readonly Probe[],
  beside: DatabaseBeside,
): Promise<CheckReport> {
  const counts = new Map(
    CHECK_KINDS.filter((kind) => probes.some((probe) => probe.kind === kind)).map(
      (kind) => [kind, new Count()] as const,
    ),
  );
  let waiting = 0;
  let waits = 0;
  for (const probe of probes) {
    const count = counts.get(probe.kind);
    for await (const found of probe.find()) {
      if (!count || found.length === 0) continue;
      if (waits < WAITS) await sleep(PATIENCE);
      waits += 1;
      const still = await probe.again(found);
      if (still.length === 0) continue;
      const isComputed = probe.isKept && (await beside.read(LEFT_TO_COMPUTE)).length > 0;
      if (isComputed) waiting += still.length;
      else await settle(probe, still, count);
    }
  }
  return { results: counts, waiting };
}

async function settle(probe: Probe, found: readonly FaultFound[], count: Count): Promise<void> {
  if (!probe.repair) return count.add(found, []);
  await repairAll(probe.repair.bind(probe), found, count);
  const left = await probe.again(found);
  count.add(left, found);
}

/** Where they cannot be repaired together, each is by itself: what is wrong with one keeps no other from it. */
async function repairAll(
  repair: NonNullable<Probe['repair']>,
  found: readonly FaultFound[],
  count: Count,
): Promise<void> {
  try {
    return await repair(found);
  } catch (error) {
    if (found.length === 1) count.failure ??= errorText(error);
    else for (const one of found) await repairAll(repair, [one], count);
  }
}

class Count implements Result {
  wrong = 0;
  repaired = 0;
  failure: string | null = null;
  private readonly left: string[] = [];
  private readonly all: string[] = [];

  get examples(): readonly string[] {
    return this.left.length > 0 ? this.left : this.all;
  }

  /** @param tried those that were to be repaired, the ones that are left among them */
  add(left: readonly FaultFound[], tried: readonly FaultFound[]): void {
    this.wrong += left.length;
    this.repaired += Math.max(0, tried.length - left.length);
    for (const [names, found] of [
      [this.left, left],
      [this.all, tried],
    ] as const)
      names.push(...found.slice(0, EXAMPLES - names.length).map(({ name }) => name));
  }
}

/** A line for each kind, and what to do. */
export function linesOf({ results, waiting }: CheckReport, isFixing: boolean): string[] {
  const lines = [...results].map(([kind, { wrong, repaired, examples }]) => {
    const named = examples.length > 0 ? `: ${examples.join(', ')}` : '';
    const done = repaired > 0 ? `, ${repaired} repaired` : '';
    return `${kind}: ${wrong}${done}${named}${wrong > examples.length ? ', ...' : ''}`;
  });
  const left = [...results].filter(([, { wrong }]) => wrong > 0).map(([kind]) => kind);
  return [
    ...lines,
    ...(waiting > 0
      ? [`${waiting} differ that the service is computing anew: run this again when it has.`]
      : []),
    ...left.map(
      (kind) => `${kind}: ${results.get(kind)?.failure ?? (isFixing ? LEFT : ADVICE)[kind]}`,
    ),
  ];
}

const COMPUTED = 'npm run check -- --fix computes them again';
const STILL = 'they could not be computed again';

const ADVICE: Readonly<Record<CheckKind, string>> = {
  references: 'write another value, or none, to these fields, or restore what they refer to',
  links: 'npm run check -- --fix removes these rows',
  history: 'entries are facts, which nothing can compute: compare with a backup',
  figures: COMPUTED,
  levels: COMPUTED,
  projections: COMPUTED,
  files: 'copy these originals from a backup into the storage, or delete the assets',
  renditions: 'npm run check -- --fix makes them of the originals',
  'damaged files': 'copy these originals from a backup into the storage',
  'orphaned files':
    'npm run check -- --fix hands them to the service, which removes them an hour later',
};

/** What is said of what a repair has left. */
const LEFT: Readonly<Record<CheckKind, string>> = {
  ...ADVICE,
  links: STILL,
  figures: STILL,
  levels: STILL,
  projections: STILL,
  renditions: 'their originals are missing or damaged',
  'orphaned files': 'their names are not of photographs: remove what you have put there',
};

/** Whether nothing is left that is wrong. */
export const isWell = ({ results }: CheckReport): boolean =>
  [...results.values()].every(({ wrong }) => wrong === 0);
