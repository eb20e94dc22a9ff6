/** The objects service: `Objects` on the compiled types. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../core/caller';
import { ApiError } from '../../../core/errors';
import type { Database, WritableDatabase } from './database/database';
import type { MadeChange } from './database/sql';
import { noting } from './database/work';
import type { Cursors } from './history/cursor';
import { readHistory, searchHistory } from './history/history';
import type { Model } from './read/model';
import { inspectObject, readObject, readParts } from './read/reader';
import type { PlaceCursors } from './search/execute/cursor';
import { listObjects } from './search/execute/list';
import { searchPages } from './search/execute/stream';
import { explainSearch, search } from './search/execute/search';
import { SearchMemory } from './search/memory';
import type { Projections } from './search/projection/versions/live';
import { suggest } from './search/suggest/suggest';
import { findHolders } from './read/holders';
import type { Body, Change, Listener, Preparation, Written } from './declare/objects';
import type { Objects } from './types';
import type { Checked } from './validate/validator';
import { MAX_TRIES, refusedBy, tryTogether, type PreparedChange } from './write/bulk';
import type { WriteContext } from './write/context';
import { Gatherer, isGathered, type GatheredJob } from './write/gather';
import { rebuildKept } from './write/kept';
import { ReferenceCache } from './declare/reference-cache';
import { SpareRows } from './write/spare-rows';
import { carryOut, planOf } from './write/writer';

/** Who listens to the changes of objects. */
export interface Audience {
  /** Whether there is anybody: what nobody listens to is not noted. */
  isThere(): boolean;
  /** The changes of a transaction, after its commit, in their order. */
  tell(changes: readonly MadeChange[]): void;
}

/** What was written: the type of the object, and the outcome. */
type Done = readonly [type: string, written: Written];

/** The service on the compiled types. */
export function createObjects(
  model: Model,
  projections: Projections,
  cursors: Cursors,
  placeCursors: PlaceCursors,
  audience: Audience,
): Objects {
  const database = toldTo(audience, model.database);
  const listeners: Listener[] = [];
  const preparations = new Map<string, Preparation>();
  const spareRows = new SpareRows();
  const memory = new SearchMemory(model, projections);
  const contextOf = (caller: Caller): WriteContext => ({
    model,
    caller,
    now: model.clock(),
    newId: randomUUID,
    site: model.site(),
    references: new ReferenceCache(),
    spareRows,
  });
  const tell = (done: readonly Done[]): void =>
    database.whenCommitted(() => {
      for (const [type, { id }] of done) for (const listener of listeners) listener(type, id);
    });
  const prepared = async (change: Change, caller: Caller): Promise<Change> =>
    (await preparations.get(change.type)?.(change, caller)) ?? change;
  const preparedOrRefused = async (
    given: Change | ApiError,
    caller: Caller,
  ): Promise<PreparedChange> => {
    try {
      if (given instanceof ApiError) throw given;
      return await prepared(given, caller);
    } catch (error) {
      return refusedBy(error);
    }
  };

  const alone = ({ change, caller }: GatheredJob): Promise<Written> =>
    lookingAgain(database, () => database.write(() => carryOut(contextOf(caller), change)));
  const check = (change: Change): Checked | null => {
    if (change.op !== 'create' && change.op !== 'update') return null;
    return model.type(change.type).validator.check(change.body, change.op, model.clock());
  };
  const gatherer = new Gatherer(database, contextOf, check, alone);
  const findAll = (type: string, all: readonly Body[]) =>
    database.write(() => findHolders(model, type, all));

  return {
    read: (type, id, caller, options) => readObject(model, type, id, caller, options),

    inspect: (type, id, caller, fields) => inspectObject(model, type, id, caller, fields),

    async write(given, caller) {
      const job = { change: await prepared(given, caller), caller };
      const { change } = job;
      const written = await (isGathered(model, change) ? gatherer.write(job) : alone(job));
      tell([[change.type, written]]);
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
      const done = outcomes.flatMap((outcome, at): Done[] => {
        const change = changes[at];
        return outcome.ok && change && 'type' in change ? [[change.type, outcome.written]] : [];
      });
      if (isKept) tell(done);
      return outcomes;
    },

    async transact(caller, work) {
      let done: Done[] = [];
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
      tell(done);
      return result;
    },

    find: (type, parameters, caller) => search(memory, placeCursors, { type, parameters, caller }),

    explain: (type, parameters, caller) =>
      explainSearch(memory, placeCursors, { type, parameters, caller }),

    suggest: (type, parameters, language, caller) =>
      suggest(memory, type, parameters, language, caller),

    list: (type, query, caller) => listObjects(memory, type, query, caller),

    pages: (type, parameters, caller, options) =>
      searchPages(memory, type, parameters, caller, options),

    parts: (type, ids, caller, fields) => readParts(model, type, ids, caller, fields),

    async rebuild() {
      // A database that was restored has none.
      await database.maintain();
      const kept = [...model.resources.values()].flatMap((resource) => resource.kept);
      const changed = new Map<string, number>();
      for (const value of kept) {
        const rows = await database.write(() => rebuildKept(model, value));
        for (const [table, count] of rows) changed.set(table, (changed.get(table) ?? 0) + count);
      }
      await projections.refresh(model.database);
      await database.maintain();
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

    findEach: async (type, all) => (await findAll(type, all)).map(([first = null]) => first),

    findUnique: async (type, values) => (await findAll(type, [values]))[0]?.[0] ?? null,

    findNamesakes: async (type, values) => (await findAll(type, [values]))[0] ?? [],
  };
}

/** The database, of which the changes of objects that are written are told. */
function toldTo(audience: Audience, database: Database): WritableDatabase {
  return {
    isShared: database.isShared,
    violated: (error) => database.violated(error),
    whenCommitted: (effect) => database.whenCommitted(effect),
    maintain: () => database.maintain(),
    async write(work, options) {
      if (!audience.isThere()) return database.write(work, options);
      const changes: MadeChange[] = [];
      const result = await database.write(() => noting(work, changes), options);
      if (changes.length > 0) database.whenCommitted(() => audience.tell(changes));
      return result;
    },
  };
}

async function lookingAgain<T>(database: WritableDatabase, action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      if (tries === MAX_TRIES || !database.violated(error)) throw error;
    }
  }
}
