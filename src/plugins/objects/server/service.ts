/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../core/caller';
import { ApiError } from '../../../core/errors';
import type { Database } from './database/database';
import { askOne, attempt, PAUSE, type Attempt, type Work } from './database/work';
import type { Cursors } from './history/cursor';
import { readHistory, searchHistory } from './history/history';
import type { Model } from './model';
import { inspectObject, readObject } from './read/reader';
import type { PlaceCursors } from './search/cursor';
import { search, searchPages } from './search/search';
import type {
  Body,
  BulkOptions,
  Change,
  Listener,
  Objects,
  Outcome,
  Preparation,
  Written,
} from './types';
import { normalize } from './validate/value';
import { keyHolder } from './write/checks';
import { rebuildKept, updateFollowed } from './write/kept';
import type { WriteContext } from './write/context';
import type { Plan } from './write/plan';
import { writeRecorded } from './write/recording';
import { ReferenceCache } from './write/reference-cache';
import { carryOut, carryOutPlan, planOf } from './write/writer';

/** The service on the compiled types. */
export function createObjects(model: Model, cursors: Cursors, placeCursors: PlaceCursors): Objects {
  const { database } = model;
  const listeners: Listener[] = [];
  const preparations = new Map<string, Preparation>();
  const contextOf = (caller: Caller): WriteContext => ({
    model,
    caller,
    now: Date.now(),
    newId: randomUUID,
    site: model.site(),
    references: new ReferenceCache(),
  });
  const tell = (type: string, { id }: Written): void => {
    for (const listener of listeners) database.whenCommitted(() => listener(type, id));
  };
  const prepared = async (change: Change, caller: Caller): Promise<Change> =>
    (await preparations.get(change.type)?.(change, caller)) ?? change;
  const preparedOrRefused = async (given: Change | ApiError, caller: Caller): Promise<Prepared> => {
    try {
      if (given instanceof ApiError) throw given;
      return await prepared(given, caller);
    } catch (error) {
      return refusalOf(error);
    }
  };

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    inspect: (type, id, caller, fields) => inspectObject(model, type, id, caller, fields),

    async write(given, caller) {
      const change = await prepared(given, caller);
      const written = await lookingAgain(database, () =>
        database.write(() => carryOut(contextOf(caller), change)),
      );
      tell(change.type, written);
      return written;
    },

    async check(given, caller) {
      const change = await prepared(given, caller);
      await database.write(() => planOf(contextOf(caller), change));
    },

    async writeAll(given, caller, options = {}) {
      const changes = await Promise.all(given.map((one) => preparedOrRefused(one, caller)));
      const { outcomes, isKept } = await tryTogether(
        database,
        () => contextOf(caller),
        changes,
        options,
      );
      for (const [at, outcome] of outcomes.entries()) {
        const change = changes[at];
        if (isKept && outcome.ok && change && 'type' in change) tell(change.type, outcome.written);
      }
      return outcomes;
    },

    async transact(caller, work) {
      let done: [string, Written][] = [];
      const result = await lookingAgain(database, () =>
        database.write(function* () {
          const context = contextOf(caller);
          done = [];
          return yield* work(function* (change) {
            const written = yield* carryOut(context, change);
            done.push([change.type, written]);
            return written;
          });
        }),
      );
      for (const [type, written] of done) tell(type, written);
      return result;
    },

    find: (type, parameters, caller) => search(model, placeCursors, type, parameters, caller),

    pages: (type, parameters, caller, invalid) =>
      searchPages(model, type, parameters, caller, invalid),

    async rebuild() {
      const kept = [...model.resources.values()].flatMap((resource) => resource.kept);
      const changed = new Map<string, number>();
      for (const value of kept) {
        const rows = await database.write(() => rebuildKept(model, value));
        for (const [table, count] of rows) changed.set(table, (changed.get(table) ?? 0) + count);
      }
      return changed;
    },

    history: (type, id, parameters, caller) =>
      readHistory(model, cursors, type, id, parameters, caller),

    searchHistory: (parameters, caller) => searchHistory(model, cursors, parameters, caller),

    onWritten(listener) {
      listeners.push(listener);
    },

    prepare(type, preparation) {
      preparations.set(type, preparation);
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

/**
 * How often a change is tried: two concurrent writers may both pass the check of a unique rule. The index refuses the
 * second one, whose retry then finds the first one's object.
 */
const MAX_TRIES = 3;

async function lookingAgain<T>(database: Database, action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      if (tries === MAX_TRIES || !database.violated(error)) throw error;
    }
  }
}

/** A change that is prepared, or the refusal of its preparation. */
type Prepared = Change | Refused;
type Refused = Extract<Outcome, { ok: false }>;

const isRefused = (given: Prepared): given is Refused => 'ok' in given;

/** Rolls a transaction back of which the outcomes are told all the same. */
class Undone extends Error {
  constructor(readonly outcomes: Outcome[]) {
    super('nothing of it is kept');
  }
}

interface Tried {
  readonly outcomes: Outcome[];
  readonly isKept: boolean;
}

async function tryTogether(
  database: Database,
  newContext: () => WriteContext,
  changes: readonly Prepared[],
  { atomic = false, dryRun = false }: BulkOptions,
): Promise<Tried> {
  const write = async (how: typeof together): Promise<Tried> => {
    try {
      const outcomes = await database.write(function* () {
        const all = yield* how(newContext(), changes);
        if (dryRun || (atomic && !all.every(({ ok }) => ok))) throw new Undone(all);
        return all;
      });
      return { outcomes, isKept: true };
    } catch (error) {
      if (error instanceof Undone) return { outcomes: error.outcomes, isKept: false };
      throw error;
    }
  };
  try {
    return await write(together);
  } catch (error) {
    if (isAway(error)) throw error;
    return write(oneByOne);
  }
}

/** After so many changes of a bulk, the event loop handles other events: on SQLite that is some 10 ms. */
const CHANGES_AT_ONCE = 20;

/**
 * Carries out all changes without a savepoint for each, which would take longer than the change itself: SQLite copies
 * each page before its first change on a savepoint (https://www.sqlite.org/tempfiles.html#statement_journal_files). A
 * refusal is thrown before its change writes anything, and so needs no rollback. Any other error aborts the
 * transaction.
 */
function* together(given: WriteContext, changes: readonly Prepared[]): Work<Outcome[]> {
  const bulk: WriteContext = { ...given, followed: new Map(), recorded: [] };
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    if (outcomes.length % CHANGES_AT_ONCE === CHANGES_AT_ONCE - 1) yield PAUSE;
    if (isRefused(change)) {
      outcomes.push(change);
      continue;
    }
    const context = isPlain(change) ? bulk : given;
    if (context !== bulk) yield* settle(bulk);
    let plan: Plan;
    try {
      plan = yield* planOf(context, change);
    } catch (error) {
      outcomes.push(refusalOf(error));
      continue;
    }
    outcomes.push({ ok: true, written: yield* carryOutPlan(context, change, plan) });
  }
  yield* settle(bulk);
  return outcomes;
}

/** Whether a change asks nothing of what is left to the end of a bulk. An erasure looks at the whole history. */
const isPlain = ({ op }: Change): boolean => op === 'create' || op === 'update';

function* settle(bulk: WriteContext): Work<void> {
  yield* writeRecorded(bulk);
  yield* updateFollowed(bulk);
}

/** The same with savepoints, for changes of which one fails after it has written something. */
function* oneByOne(context: WriteContext, changes: readonly Prepared[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    if (isRefused(change)) {
      outcomes.push(change);
      continue;
    }
    const outcome = yield* attemptChange(context, change);
    outcomes.push(outcome.ok ? { ok: true, written: outcome.value } : refusalOf(outcome.error));
  }
  return outcomes;
}

function* attemptChange(context: WriteContext, change: Change): Work<Attempt<Written>> {
  const { database } = context.model;
  for (let tries = 1; ; tries += 1) {
    const outcome = yield* attempt(() => carryOut(context, change));
    if (!outcome.ok) context.references.clear();
    if (outcome.ok || tries === MAX_TRIES || !database.violated(outcome.error)) return outcome;
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'UNAVAILABLE';

/** @throws any error that is not a refusal */
function refusalOf(error: unknown): Refused {
  if (error instanceof ApiError && !isAway(error)) return { ok: false, error };
  throw error;
}

function* findUnique(model: Model, type: string, values: Body): Work<string | null> {
  const { resource } = model.type(type);
  const names = Object.keys(values).sort().join();
  const rule = resource.unique.find(({ fields }) => [...fields].sort().join() === names);
  if (!rule) throw new RangeError(`${type} has no unique rule of ${names}`);
  const kept = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = resource.fields.get(name);
      return [name, field ? normalize(field, value) : value];
    }),
  );
  const key = rule.key(kept);
  if (key === null) return null;
  const row = yield* askOne(keyHolder(resource, rule, key));
  return row ? String(row[0]) : null;
}
