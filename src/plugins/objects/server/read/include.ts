/** Summaries of referenced objects, so that a frontend need not read each of them. */
import type { Caller } from '../../../../core/caller';
import { bind } from '../database/sql';
import type { Resource } from '../define/completed';
import type { Model } from '../model';
import { CALLER } from '../rights/access';
import { reaches } from '../rights/row';
import { inView } from '../rights/views';
import type { Body } from '../types';

/** The summary of an object: its ID and display name. */
export interface Summary {
  readonly id: string;
  readonly display_name: unknown;
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
    const target = resource.fields.get(name)?.to;
    if (target === null || target === undefined) continue;
    const ids = wanted.get(target) ?? new Set<string>();
    for (const object of objects) for (const id of idsOf(object[name])) ids.add(id);
    wanted.set(target, ids);
  }
  const included: Included = {};
  for (const [type, ids] of wanted) included[type] = await summaries(model, type, [...ids], caller);
  return included;
}

function idsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((id) => typeof id === 'string');
}

async function summaries(
  model: Model,
  type: string,
  ids: readonly string[],
  caller: Caller,
): Promise<Record<string, Summary>> {
  const target = model.find(type);
  if (!target || ids.length === 0) return {};
  const { displayName } = target.resource;
  const { summaries: compiled, access } = target.for(caller);
  const args = { ids: JSON.stringify(ids), [CALLER]: caller.id ?? '' };
  const rows = await model.database.read(bind(compiled.sql, args));
  return Object.fromEntries(
    rows.map((row) => {
      const { id, object, facts } = compiled.read(row);
      const isSeen = reaches(access.seen(displayName), facts.relations);
      const name = isSeen ? inView(displayName, facts.view, JSON.parse(object) as Body) : null;
      return [id, { id, display_name: name ?? null }];
    }),
  );
}
