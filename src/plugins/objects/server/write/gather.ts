/**
 * Changes of single objects that arrive together: they share a transaction, whose commit serves them all, and in which
 * their history and what is kept of them are written in sets. One that cannot be carried out beside others is carried
 * out again, alone.
 */
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import { ApiError } from '../../../../core/errors';
import type { WritableDatabase } from '../database/database';
import { sideBySide, type Attempted, type Work } from '../database/work';
import type { Affected } from '../declare/behavior';
import type { Model } from '../read/model';
import type { Recorded } from './history-entries';
import type { Change, Written } from '../declare/objects';
import type { Checked } from '../validate/validator';
import { isAway, settle } from './bulk';
import type { WriteContext } from './context';
import { insertAll } from './execute';
import { BulkInserts } from './inserts';
import { ReferenceCache } from '../declare/reference-cache';
import { carryOutPlan, givenId, planOf } from './writer';

/** Changes that share a transaction at most. */
const MAX_TOGETHER = 50;

/** Transactions at once: while one waits for a shared database, the next one is prepared. */
const mostRunning = ({ isShared }: WritableDatabase): number => (isShared ? 2 : 1);

export interface GatheredJob {
  readonly change: Change;
  readonly caller: Caller;
}

interface CheckedJob extends GatheredJob {
  /** What the check of its body has found; null where it has none. */
  readonly checked: Checked | null;
}

/** Whether a change may be carried out beside others of its type. */
export const isGathered = (model: Model, { op, type }: Change): boolean =>
  !model.database.isInTransaction && op !== 'act' && model.find(type)?.resource.manyAtOnce === true;

/** A change whose caller waits. */
interface Waiting extends CheckedJob {
  /** The object that it changes; null for a new one whose ID nobody knows. */
  readonly id: string | null;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

export class Gatherer {
  private waiting: Waiting[] = [];
  private running = 0;
  /** Changes of the transactions that are under way. */
  private underWay = 0;
  /** The objects that are being changed. */
  private readonly busy = new Set<string>();

  /**
   * @param check the check of a body
   * @param alone carries out a change in a transaction of its own
   */
  constructor(
    private readonly database: WritableDatabase,
    private readonly contextOf: (caller: Caller) => WriteContext,
    private readonly check: (change: Change) => Checked | null,
    private readonly alone: (job: GatheredJob) => Promise<Written>,
  ) {}

  /** @throws ApiError the refusal, UNAVAILABLE */
  write({ change, caller }: GatheredJob): Promise<Written> {
    return new Promise((resolve, reject) => {
      // Now, while it waits for those that are under way.
      const checked = this.check(change);
      this.waiting.push({ change, caller, checked, id: idOf(change), resolve, reject });
      if (this.running < mostRunning(this.database)) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running += 1;
    for (;;) {
      // Lets requests whose data has arrived join the transaction.
      await setImmediate();
      const jobs = this.next();
      if (jobs.length === 0) break;
      this.underWay += jobs.length;
      await this.carryOut(jobs);
      this.underWay -= jobs.length;
    }
    this.running -= 1;
  }

  /**
   * The next changes of one type, of each object one, in the order of their IDs: so does every transaction lock them.
   * None as long as fewer wait than are under way: a transaction of few costs as much as one of many, and the next one
   * takes them along.
   */
  private next(): readonly Waiting[] {
    if (this.waiting.length < this.underWay) return [];
    const [taken, left]: [Waiting[], Waiting[]] = [[], []];
    for (const job of this.waiting) {
      const { id, change } = job;
      const fits = taken.length < MAX_TOGETHER && (taken[0] ?? job).change.type === change.type;
      if (!fits || (id !== null && this.busy.has(id))) left.push(job);
      else {
        if (id !== null) this.busy.add(id);
        taken.push(job);
      }
    }
    this.waiting = left;
    return taken.sort((one, other) => (one.id ?? '').localeCompare(other.id ?? ''));
  }

  private async carryOut(jobs: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.database.write(() => together(jobs, this.contextOf), {
        isBrief: true,
      });
      for (const [at, job] of jobs.entries()) {
        const outcome = outcomes[at];
        if (outcome?.ok) job.resolve(outcome.value);
        else job.reject(outcome?.error);
      }
    } catch (error) {
      // What waits for a lock does not keep others waiting.
      for (const job of jobs)
        if (isAway(error)) job.reject(error);
        else this.alone(job).then(job.resolve, job.reject);
    } finally {
      for (const { id } of jobs) if (id !== null) this.busy.delete(id);
    }
  }
}

const idOf = (change: Change): string | null =>
  change.op === 'create' ? givenId(change.body) : change.id.toLowerCase();

/** First all changes are checked, then all are carried out, then what follows from them. */
function* together(
  jobs: readonly CheckedJob[],
  contextOf: (caller: Caller) => WriteContext,
): Work<readonly Attempted<Written>[]> {
  const contexts = jobs.map(({ caller }) => contextOf(caller));
  const now = contexts[0]?.now ?? 0;
  const references = new ReferenceCache();
  for (const { caller } of jobs)
    if (caller.id !== null && caller.rowId !== null)
      references.putRow('user', caller.id, caller.rowId);
  const followed = new Map<string, Affected[]>();
  const inserts = new BulkInserts(insertAll);
  const recorded: Recorded[] = [];
  const parts = jobs.map(({ change, caller, checked }, at) => {
    const { model, newId, site, spareRows } = contexts[at] ?? contextOf(caller);
    // Not put together of two objects, for which V8 takes ten times as long.
    const context: WriteContext = {
      model,
      caller,
      now,
      newId,
      site,
      references,
      spareRows,
      followed,
      inserts,
      recorded,
      checked,
      isBesideOthers: true,
    };
    return { change, context };
  });
  yield* inserts.lookAhead(parts.filter(({ change }) => change.op === 'create'));
  const plans = yield* sideBySide(
    parts.map(({ context, change }) => planOf(context, change)),
    isRefusal,
  );
  const outcomes: Attempted<Written>[] = [];
  const works: Work<Written>[] = [];
  for (const [at, plan] of plans.entries()) {
    const part = parts[at];
    if (!part) continue;
    outcomes.push(plan.ok ? { ok: true, value: plan.value.written } : plan);
    if (plan.ok) works.push(carryOutPlan(part.context, part.change, plan.value));
  }
  yield* sideBySide(works, () => false);
  const [begun] = parts;
  if (begun) {
    yield* settle(begun.context);
    inserts.end(begun.context);
  }
  return outcomes;
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && !isAway(error);
