/** Reads the history as a caller may see it: that of one object, and, for administrators, that of everything. */
import type { Caller } from '../../../../core/caller';
import { ApiError, fail } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { bind, join, sql } from '../database/sql';
import type { Field } from '../declare/completed';
import type { Model } from '../read/model';
import type { Facts } from '../read/facts';
import { callerArgs } from '../rights/caller-args';
import { reaches } from '../declare/row';
import { EXACT } from '../declare/views';
import type { SiteSettings } from '../site/settings';
import type { HistoryPage } from '../declare/objects';
import type { Cursors } from './cursor';
import { readPage, type EntriesPage, type StoredEntry } from './page';
import { LIMIT_TYPE, readPageQuery, readSearchQuery } from './parameters';
import { ofObject, planHistory, type HistoryPlan } from './plan';
import {
  redactionOf,
  seenChanges,
  sightOf,
  type Redact,
  type ShownChange,
  type Sight,
} from './shown';

type Parameters = ReadonlyMap<string, string>;

/** What an administrator is to an object that has been deleted, or to any of many. */
const NOTHING_KNOWN: Facts = { relations: new Set(), view: EXACT, isStranger: false };

/**
 * The history of one object.
 *
 * @throws ApiError ENTITY_NOT_FOUND for an object that the caller may not read, NOT_PERMITTED or LOGIN_REQUIRED for one
 *   whose history it may not read, MALFORMED
 */
export async function readHistory(
  model: Model,
  cursors: Cursors,
  type: string,
  id: string,
  parameters: Parameters,
  caller: Caller,
): Promise<HistoryPage> {
  const known = model.type(type);
  const { access } = known.for(caller);
  const object = id.toLowerCase();
  if (access.extent('read').length === 0) throw new ApiError(access.refusal('read'));
  const plan = ofObject(type, object);
  const facts = isUuid(id) ? await factsOf(model, type, object, caller) : null;
  const isKnown = facts
    ? reaches(access.extent('read'), facts.relations)
    : caller.role === 'administrator' && isUuid(id) && (await hasEntries(model, plan));
  if (!isKnown) throw fail('ENTITY_NOT_FOUND', { type, id });
  if (!reaches(access.extent('history'), (facts ?? NOTHING_KNOWN).relations))
    throw new ApiError(access.refusal('history'));
  const { limit, after } = readPageQuery(parameters, cursors);

  const page = await readPage(model.database, plan, limit, after);
  const sight = facts
    ? sightOf(known.resource, access, facts)
    : sightInGeneral(model, type, caller);
  return answer(model, cursors, caller, page, () => sight);
}

/** What the caller is to an object; null where there is none. */
async function factsOf(
  model: Model,
  type: string,
  id: string,
  caller: Caller,
): Promise<Facts | null> {
  const { standing } = model.type(type).for(caller);
  const [row] = await model.database.read(
    bind(standing.sql, { id, ...callerArgs(caller, model.clock()) }),
  );
  return row ? standing.read(row) : null;
}

const hasEntries = async ({ database }: Model, { scanned }: HistoryPlan): Promise<boolean> =>
  (await database.read(sql`select seq from oms_history where ${join(scanned, ' and ')} limit 1`))
    .length > 0;

/**
 * The entries of all objects, settings and limits, for administrators.
 *
 * @throws ApiError NOT_PERMITTED or LOGIN_REQUIRED, MALFORMED
 */
export async function searchHistory(
  model: Model,
  cursors: Cursors,
  parameters: Parameters,
  caller: Caller,
): Promise<HistoryPage> {
  if (caller.role !== 'administrator')
    throw new ApiError(caller.role === 'anonymous' ? 'LOGIN_REQUIRED' : 'NOT_PERMITTED');
  const { limit, after, ...filters } = readSearchQuery(parameters, cursors, model.resources);
  const page = await readPage(model.database, planHistory(filters), limit, after);
  const sights = new Map<string, Sight | null>();
  return answer(model, cursors, caller, page, (type) => {
    let sight = sights.get(type);
    if (sight === undefined) sights.set(type, (sight = sightInGeneral(model, type, caller)));
    return sight;
  });
}

/** What the caller sees of every object of a type. */
function sightInGeneral(model: Model, type: string, caller: Caller): Sight | null {
  const known = model.find(type);
  const access = known?.for(caller).access;
  if (!known || access?.extent('read') !== 'all' || access.view('o') !== null) return null;
  return sightOf(known.resource, access, NOTHING_KNOWN);
}

/** A page as it is answered. @param sightOn null for a type of which the caller sees no field */
async function answer(
  model: Model,
  cursors: Cursors,
  caller: Caller,
  { entries, next }: EntriesPage,
  sightOn: (type: string) => Sight | null,
): Promise<HistoryPage> {
  const seen = entries.map((entry) => ({
    entry,
    changes: changesOf(entry, sightOn(entry.type), model.site()),
  }));
  const redact = await redactionOf(
    model,
    caller,
    seen.flatMap(({ changes }) =>
      changes.flatMap(({ field, change }) => (field ? [{ field, change }] : [])),
    ),
  );
  return {
    history: seen.map(({ entry: { id, object, type, at, version, action, actor }, changes }) => ({
      id,
      object,
      type,
      at: new Date(at).toISOString(),
      version,
      action,
      actor,
      changes: changes.map(({ field, change }) => redactedChange(field, change, redact)),
    })),
    next: next && cursors.encode(next),
  };
}

function redactedChange(field: Field | null, change: ShownChange, redact: Redact): ShownChange {
  if (!field || !('before' in change)) return change;
  const { path, before, after } = change;
  return { path, before: redact(field, before), after: redact(field, after) };
}

/** The visible changes of an entry, each with its field; those of a limit have none. */
function changesOf(
  entry: StoredEntry,
  sight: Sight | null,
  site: SiteSettings,
): { readonly field: Field | null; readonly change: ShownChange }[] {
  if (entry.type === LIMIT_TYPE) return entry.changes.map((change) => ({ field: null, change }));
  if (!sight) return [];
  return seenChanges(sight, entry, site).map((change) => ({
    field: sight.fields.get(change.path) ?? null,
    change,
  }));
}
