/** Summaries of referenced objects, so that a frontend need not read each of them. */
import type { Caller } from '../../../../core/caller';
import { bind, type SqlValue } from '../database/sql';
import type { Field, Resource } from '../define/completed';
import { referredIds } from '../kinds';
import { renditionPaths } from '../kinds/renditions';
import type { Model } from '../model';
import { callerArgs } from '../rights/access';
import { reaches } from '../rights/row';
import { inView } from '../rights/views';
import { idsOf, type SelectedSummary } from './select';
import type { Body } from '../types';

/** The summary of an object: its ID and display name. */
export interface Summary {
  readonly id: string;
  readonly display_name: unknown;
  /** Of what has a picture: the paths of its smaller forms. */
  readonly renditions?: unknown;
}

/** Summaries by type and ID, without the objects that the caller may not read. */
export type Included = Record<string, Record<string, Summary>>;

/**
 * The objects that these refer to in the given fields, without duplicates.
 *
 * @param names reference fields of the type, already checked
 */
export async function readIncluded(
  model: Model,
  resource: Resource,
  objects: readonly Body[],
  names: readonly string[],
  caller: Caller,
): Promise<Included> {
  const wanted = new Map<string, Set<string>>();
  for (const name of names) {
    const field = resource.fields.get(name);
    const target = field?.to ?? null;
    if (!field || target === null) continue;
    const ids = wanted.get(target) ?? new Set<string>();
    for (const object of objects)
      for (const { id } of referredIds(field, object[name])) ids.add(id);
    wanted.set(target, ids);
  }
  return summaries(model, resource, wanted, caller);
}

/** The renditions that a field stands for. */
function picturesOf({ kind }: Field, value: unknown): unknown {
  return kind === 'path' && typeof value === 'string' ? renditionPaths(value) : value;
}

/** In one statement. @param wanted the IDs by type */
async function summaries(
  model: Model,
  resource: Resource,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  caller: Caller,
): Promise<Included> {
  const types = [...wanted.keys()].filter((type) => model.find(type) && wanted.get(type)?.size);
  const included: Included = {};
  const found: Found =
    types.length === 0 ? new Map() : await find(model, resource, types, wanted, caller);
  // In the order of the references: that of the rows may tell which of them has changed.
  for (const [type, ids] of wanted)
    included[type] = Object.fromEntries(
      [...ids].flatMap((id) => {
        const summary = found.get(type)?.get(id);
        return summary ? [[id, summary]] : [];
      }),
    );
  return included;
}

type Found = ReadonlyMap<string, ReadonlyMap<string, Summary>>;

async function find(
  model: Model,
  { type }: Resource,
  types: readonly string[],
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  caller: Caller,
): Promise<Found> {
  // In one order, so that there are few statements.
  const compiled = model
    .type(type)
    .for(caller)
    .summaries([...types].sort());
  const ids = types.map(
    (one) => [idsOf(one), JSON.stringify([...(wanted.get(one) ?? [])])] as const,
  );
  const args: Record<string, SqlValue> = {
    ...Object.fromEntries(ids),
    ...callerArgs(caller, Date.now()),
  };
  const found = new Map(types.map((one) => [one, new Map<string, Summary>()]));
  for (const row of await model.database.read(bind(compiled.sql, args))) {
    const selected = compiled.read(row);
    found.get(selected.type)?.set(selected.id, summaryOf(model, caller, selected));
  }
  return found;
}

function summaryOf(
  model: Model,
  caller: Caller,
  { type, id, object, facts }: SelectedSummary,
): Summary {
  const known = model.type(type);
  const { access } = known.for(caller);
  const { displayName, picture } = known.resource;
  const values = JSON.parse(object) as Body;
  const shown = (field: Field): unknown =>
    reaches(access.seen(field), facts.relations)
      ? inView(field, facts.view, values, model.site())
      : null;
  const pictures = picture && picturesOf(picture, shown(picture));
  const further = pictures ? { renditions: pictures } : {};
  return { id, display_name: shown(displayName) ?? null, ...further };
}
