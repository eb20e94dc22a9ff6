/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/server/caller';
import { WireError } from '../../wire/server/errors';
import type { Database } from './database/database';
import { askOne, attempt, type Attempt, type Work } from './database/work';
import type { Model } from './model';
import { readObject } from './read/reader';
import type { Beforehand } from './define/declaration';
import type { Body, Change, Listener, Objects, Outcome, Written } from './types';
import { normalize } from './validate/normalize';
import type { WriteContext } from './write/context';
import { carryOut } from './write/writer';

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
  });
  const tell = (type: string, { id }: Written): void => {
    for (const listener of listeners) database.whenCommitted(() => listener(type, id));
  };

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    async write(change, caller) {
      const context = await prepared(contextOf(caller), change);
      for (let tries = 1; ; tries += 1) {
        try {
          const written = await database.write(() => carryOut(context, change));
          tell(change.type, written);
          return written;
        } catch (error) {
          if (tries === MAX_LOOKS || !database.violated(error)) throw error;
        }
      }
    },

    async writeAll(changes, caller) {
      const shared = contextOf(caller);
      const contexts = await Promise.all(changes.map((change) => prepared(shared, change)));
      const outcomes = await database.write(function* (): Work<Outcome[]> {
        const made: Outcome[] = [];
        for (const [position, change] of changes.entries()) {
          const context = contexts[position] ?? shared;
          made.push(outcomeOf(yield* looked(database, () => carryOut(context, change))));
        }
        return made;
      });
      for (const [position, outcome] of outcomes.entries()) {
        const type = changes[position]?.type;
        if (outcome.ok && type !== undefined) tell(type, outcome.written);
      }
      return outcomes;
    },

    onWritten(listener) {
      listeners.push(listener);
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

const NOTHING: Beforehand = {};

/** With what has to be found out before the transaction. */
async function prepared(context: WriteContext, change: Change): Promise<WriteContext> {
  const { model, caller } = context;
  const { beforehand } = model.type(change.type).resource;
  if (!beforehand) return context;
  return { ...context, beforehand: await beforehand(change, caller, model) };
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
