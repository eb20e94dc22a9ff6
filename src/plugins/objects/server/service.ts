/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/server/caller';
import { WireError } from '../../wire/server/errors';
import { askOne, attempt, type Attempt, type Work } from './database/work';
import type { Database } from './database/database';
import type { Model } from './model';
import { readObject } from './read/reader';
import { findExact } from './search/exact';
import type { Beforehand } from './define/declaration';
import type { Body, Change, Listener, Objects, Outcome, Written } from './types';
import { normalize } from './validate/normalize';
import { Asked } from './write/asked';
import type { WriteContext } from './write/context';
import { carryOut, planOf, type Plan } from './write/writer';

/** The service over compiled types. */
export function createObjects(model: Model): Objects {
  const { database } = model;
  const listeners: Listener[] = [];
  const contextOf = (caller: Caller): WriteContext => ({
    model,
    caller,
    now: Date.now(),
    newId: randomUUID,
    beforehand: NOTHING,
    site: model.site(),
    asked: new Asked(),
  });
  const tell = (type: string, { id }: Written): void => {
    for (const listener of listeners) database.whenCommitted(() => listener(type, id));
  };

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    async write(change, caller) {
      const beforehand = await examined(model, change, caller);
      for (let tries = 1; ; tries += 1) {
        try {
          const written = await database.write(() =>
            carryOut({ ...contextOf(caller), beforehand }, change),
          );
          tell(change.type, written);
          return written;
        } catch (error) {
          if (tries === MAX_LOOKS || !database.violated(error)) throw error;
        }
      }
    },

    async writeAll(changes, caller) {
      const beforehand = await Promise.all(
        changes.map((change) => examined(model, change, caller)),
      );
      const given = changes.map((change, at) => ({
        change,
        beforehand: beforehand[at] ?? NOTHING,
      }));
      const outcomes = await tryTogether(database, () => contextOf(caller), given);
      for (const [at, outcome] of outcomes.entries()) {
        const type = changes[at]?.type;
        if (outcome.ok && type !== undefined) tell(type, outcome.written);
      }
      return outcomes;
    },

    find: (type, parameters, caller) => findExact(model, type, parameters, caller),

    onWritten(listener) {
      listeners.push(listener);
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

const NOTHING: Beforehand = {};

/** A change, and what was found out for it before the transaction. */
interface Given {
  readonly change: Change;
  readonly beforehand: Beforehand;
}

async function examined(model: Model, change: Change, caller: Caller): Promise<Beforehand> {
  const { beforehand } = model.type(change.type).resource;
  return beforehand ? beforehand(change, caller, model) : NOTHING;
}

async function tryTogether(
  database: Database,
  newContext: () => WriteContext,
  given: readonly Given[],
): Promise<Outcome[]> {
  const write = (how: typeof together): Promise<Outcome[]> =>
    database.write(() => how(newContext(), given));
  if (given.some(({ change }) => change.first)) return write(oneByOne);
  try {
    return await write(together);
  } catch (error) {
    if (isAway(error)) throw error;
    return write(oneByOne);
  }
}

/**
 * All changes without a savepoint each, which would take longer than the change itself: a page is copied away before
 * its first change on each savepoint (https://www.sqlite.org/tempfiles.html#statement_journal_files). A refusal comes
 * before anything of its change is written, and so needs none. Whatever else goes wrong ends it all.
 */
function* together(context: WriteContext, given: readonly Given[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { change, beforehand } of given) {
    let plan: Plan;
    try {
      plan = yield* planOf({ ...context, beforehand }, change);
    } catch (error) {
      outcomes.push(refusalOf(error));
      continue;
    }
    outcomes.push({ ok: true, written: yield* plan() });
  }
  return outcomes;
}

/** The same for changes of which one cannot be told to fail before it has written something. */
function* oneByOne(context: WriteContext, given: readonly Given[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { change, beforehand } of given) {
    const outcome = yield* looked({ ...context, beforehand }, change);
    outcomes.push(outcome.ok ? { ok: true, written: outcome.value } : refusalOf(outcome.error));
  }
  return outcomes;
}

/**
 * How often a change looks again: of two writers at once both pass the check of a unique rule, and
 * the index refuses the second, who then finds what the first has made.
 */
const MAX_LOOKS = 3;

function* looked(context: WriteContext, change: Change): Work<Attempt<Written>> {
  const { database } = context.model;
  for (let tries = 1; ; tries += 1) {
    const outcome = yield* attempt(() => carryOut(context, change));
    if (!outcome.ok) context.asked.forget();
    if (outcome.ok || tries === MAX_LOOKS || !database.violated(outcome.error)) return outcome;
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof WireError && error.key === 'UNAVAILABLE';

/** @throws what is no refusal */
function refusalOf(error: unknown): Outcome {
  if (error instanceof WireError && !isAway(error)) return { ok: false, error };
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
  const row = yield* askOne(`select document_id from ${resource.table} where ${rule.column} = ?`, [
    key,
  ]);
  return row ? String(row[0]) : null;
}
