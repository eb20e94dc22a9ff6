/** Summaries of what objects refer to, so that a frontend need not ask for each. */
import type { Caller } from '../../../accounts/server/caller';
import type { Resource } from '../define/resource';
import type { Model } from '../model';
import type { Body } from '../types';
import { readableAmong } from './visible';

/** What stands for an object beside another: its ID and what to call it. */
export interface Summary {
  readonly id: string;
  readonly display_name: unknown;
}

/** Summaries by type and ID; what the caller may not read is absent. */
export type Included = Record<string, Record<string, Summary>>;

/**
 * The objects that these refer to through the given fields, each once.
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
  const target = model.find(type)?.resource;
  if (!target || ids.length === 0) return {};
  const columns = `o.document_id, o.${target.displayName.columns[0]}`;
  const { text, values } = readableAmong(model, target, caller, columns, ids);
  const rows = await model.database.read(text, values);
  return Object.fromEntries(
    rows.map(([id, name]) => [String(id), { id: String(id), display_name: name }]),
  );
}
