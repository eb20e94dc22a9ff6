/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/server/caller';
import { WireError } from '../../wire/server/errors';
import { askOne, attempt, type Attempt, type Work } from './database/work';
import type { Model } from './model';
import { readObject } from './read/reader';
import type { Body, Change, Objects, Outcome, Written } from './types';
import { normalize } from './validate/normalize';
import { Asked } from './write/asked';
import type { WriteContext } from './write/context';
import { carryOut, planOf, type Plan } from './write/writer';

/** The service over compiled types. */
export function createObjects(model: Model): Objects {
  const { database } = model;
  const contextOf = (caller: Caller): WriteContext => ({
    model,
    caller,
    now: Date.now(),
    newId: randomUUID,
    site: model.site(),
    asked: new Asked(),
  });

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    async write(change, caller) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await database.write(() => carryOut(contextOf(caller), change));
        } catch (error) {
          if (tries === MAX_LOOKS || !database.violated(error)) throw error;
        }
      }
    },

    async writeAll(changes, caller) {
      try {
        return await database.write(() => together(contextOf(caller), changes));
      } catch (error) {
        if (isAway(error)) throw error;
        return database.write(() => oneByOne(contextOf(caller), changes));
      }
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

/**
 * All changes without a savepoint each, which would take longer than the change itself: a page is copied away before
 * its first change on each savepoint (https://www.sqlite.org/tempfiles.html#statement_journal_files). A refusal comes
 * before anything of its change is written, and so needs none. Whatever else goes wrong ends it all.
 */
function* together(context: WriteContext, changes: readonly Change[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    let plan: Plan;
    try {
      plan = yield* planOf(context, change);
    } catch (error) {
      outcomes.push(refusalOf(error));
      continue;
    }
    outcomes.push({ ok: true, written: yield* plan() });
  }
  return outcomes;
}

/** The same for changes of which one cannot be told to fail before it has written something. */
function* oneByOne(context: WriteContext, changes: readonly Change[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    const outcome = yield* looked(context, change);
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
