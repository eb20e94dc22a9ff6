/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/server/caller';
import { WireError } from '../../wire/server/errors';
import type { Database } from './database/database';
import { askOne, attempt, type Attempt, type Work } from './database/work';
import type { Model } from './model';
import { readObject } from './read/reader';
import type { Body, Objects, Outcome, Written } from './types';
import { normalize } from './validate/normalize';
import type { WriteContext } from './write/context';
import { carryOut } from './write/writer';

/** The service over compiled types. */
export function createObjects(model: Model): Objects {
  const { database } = model;
  const contextOf = (caller: Caller): WriteContext => ({
    model,
    caller,
    now: Date.now(),
    newId: randomUUID,
  });

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    async write(change, caller) {
      const context = contextOf(caller);
      for (let tries = 1; ; tries += 1) {
        try {
          return await database.write(() => carryOut(context, change));
        } catch (error) {
          if (tries === MAX_LOOKS || !database.violated(error)) throw error;
        }
      }
    },

    writeAll(changes, caller) {
      const context = contextOf(caller);
      return database.write(function* (): Work<Outcome[]> {
        const outcomes: Outcome[] = [];
        for (const change of changes) {
          outcomes.push(outcomeOf(yield* looked(database, () => carryOut(context, change))));
        }
        return outcomes;
      });
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

/**
 * How often a change looks again: of two writers at once both pass the check of a unique rule, and
 * the index refuses the second, who then finds what the first has made.
 */
const MAX_LOOKS = 3;

function* looked(database: Database, change: () => Work<Written>): Work<Attempt<Written>> {
  for (let tries = 1; ; tries += 1) {
    const outcome = yield* attempt(change);
    if (outcome.ok || tries === MAX_LOOKS || !database.violated(outcome.error)) return outcome;
  }
}

function outcomeOf(attempted: Attempt<Written>): Outcome {
  if (attempted.ok) return { ok: true, written: attempted.value };
  const { error } = attempted;
  if (error instanceof WireError && error.key !== 'UNAVAILABLE') return { ok: false, error };
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
