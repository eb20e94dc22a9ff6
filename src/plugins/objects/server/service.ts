/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/server/caller';
import { issue, WireError } from '../../wire/server/errors';
import { askOne, attempt, type Work } from './database/work';
import type { Model } from './model';
import { readObject } from './read/reader';
import type { Body, Change, Objects, Outcome, Written } from './types';
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
      try {
        return await database.write(() => carryOut(context, change));
      } catch (error) {
        throw refusalOf(model, change, error);
      }
    },

    writeAll(changes, caller) {
      const context = contextOf(caller);
      return database.write(function* (): Work<Outcome[]> {
        const outcomes: Outcome[] = [];
        for (const change of changes) {
          outcomes.push(outcomeOf(model, change, yield* attempt(() => carryOut(context, change))));
        }
        return outcomes;
      });
    },

    findUnique: (type, values) => database.write(() => findUnique(model, type, values)),
  };
}

type Attempted =
  { readonly ok: true; readonly value: Written } | { readonly ok: false; readonly error: unknown };

function outcomeOf(model: Model, change: Change, attempted: Attempted): Outcome {
  if (attempted.ok) return { ok: true, written: attempted.value };
  const error = refusalOf(model, change, attempted.error);
  if (error instanceof WireError && error.key !== 'UNAVAILABLE') return { ok: false, error };
  throw error;
}

/** What a unique index refuses, two writers at once having passed the check, is a refusal like that of the check. */
function refusalOf(model: Model, change: Change, error: unknown): unknown {
  const violation = model.database.violated(error);
  if (!violation) return error;
  const { resource } = model.type(change.type);
  const rule = resource.unique.find(
    ({ index, column }) => index === violation.index || violation.columns.includes(column),
  );
  const path = rule?.fields.at(-1) ?? 'id';
  return new WireError('ENTITY_EXISTS', { type: resource.type, path }, [issue(path, 'TAKEN', {})]);
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
