/** Summaries of referenced objects, so that a frontend need not read each of them. */
import type { Caller } from '../../../../core/caller';
import { bind } from '../database/sql';
import type { Field, Resource } from '../define/completed';
import { referredIds } from '../kinds';
import { renditionPaths } from '../kinds/renditions';
import type { Model } from '../model';
import { callerArgs } from '../rights/access';
import { reaches } from '../rights/row';
import { inView } from '../rights/views';
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
  const included: Included = {};
  for (const [type, ids] of wanted) included[type] = await summaries(model, type, [...ids], caller);
  return included;
}

/** The renditions that a field stands for. */
function picturesOf({ kind }: Field, value: unknown): unknown {
  return kind === 'path' && typeof value === 'string' ? renditionPaths(value) : value;
}

async function summaries(
  model: Model,
  type: string,
  ids: readonly string[],
  caller: Caller,
): Promise<Record<string, Summary>> {
  const target = model.find(type);
  if (!target || ids.length === 0) return {};
  const { displayName, picture } = target.resource;
  const { summaries: compiled, access } = target.for(caller);
  const args = { ids: JSON.stringify(ids), ...callerArgs(caller, Date.now()) };
  const rows = await model.database.read(bind(compiled.sql, args));
  const found = new Map(
    rows.map((row): [string, Summary] => {
      const { id, object, facts } = compiled.read(row);
      const values = JSON.parse(object) as Body;
      const shown = (field: Field): unknown =>
        reaches(access.seen(field), facts.relations)
          ? inView(field, facts.view, values, model.site())
          : null;
      const pictures = picture && picturesOf(picture, shown(picture));
      const further = pictures ? { renditions: pictures } : {};
      return [id, { id, display_name: shown(displayName) ?? null, ...further }];
    }),
  );
  // In the order of the references: that of the rows may tell which of them has changed.
  return Object.fromEntries(
    ids.flatMap((id) => {
      const summary = found.get(id);
      return summary ? [[id, summary]] : [];
    }),
  );
}
