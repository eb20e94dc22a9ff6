/** Summaries of referenced objects, so that a frontend need not read each of them. */
import type { Caller } from '../../../../core/caller';
import { bind, type SqlValue } from '../database/sql';
import type { Field, Resource } from '../declare/completed';
import { referredIds } from '../kinds';
import { renditionsOf, type Rendition } from '../kinds/renditions';
import type { Model } from './model';
import { callerArgs } from '../rights/caller-args';
import { reaches } from '../declare/row';
import { inView } from '../declare/views';
import { idsOf, type SelectedSummary } from './select';
import type { Body } from '../declare/objects';

/** The summary of an object: its ID, its display name, and what else a card needs of it. */
export interface Summary {
  readonly id: string;
  readonly display_name: unknown;
  /** Of what has a picture: its smaller forms. */
  readonly renditions?: Readonly<Record<string, Rendition>>;
  readonly [field: string]: unknown;
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

/**
 * The summaries of objects, in one statement, and one more where any of them has a picture.
 *
 * @param resource the type with which the statements are kept
 * @param wanted the IDs by type
 */
export async function summaries(
  model: Model,
  resource: Resource,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  caller: Caller,
): Promise<Included> {
  const types = [...wanted.keys()].filter((type) => model.find(type) && wanted.get(type)?.size);
  const included: Included = {};
  const found: Found =
    types.length === 0
      ? new Map()
      : await withPictures(
          model,
          resource,
          await find(model, resource, types, wanted, caller),
          caller,
        );
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

/** A summary, and the object that has its picture. */
interface WithPicture {
  readonly summary: Summary;
  readonly picture: { readonly type: string; readonly id: string } | null;
}

type Found = ReadonlyMap<string, ReadonlyMap<string, Summary>>;
type Selected = ReadonlyMap<string, ReadonlyMap<string, WithPicture>>;

async function find(
  model: Model,
  { type }: Resource,
  types: readonly string[],
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  caller: Caller,
): Promise<Selected> {
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
    ...callerArgs(caller, model.clock()),
  };
  const found = new Map(types.map((one) => [one, new Map<string, WithPicture>()]));
  for (const row of await model.database.read(bind(compiled.sql, args))) {
    const selected = compiled.read(row);
    found.get(selected.type)?.set(selected.id, summaryOf(model, caller, selected));
  }
  return found;
}

/** Summaries with what goes with their pictures, as far as the caller may read those. */
async function withPictures(
  model: Model,
  resource: Resource,
  found: Selected,
  caller: Caller,
): Promise<Found> {
  const all = [...found.values()].flatMap((byId) => [...byId.values()]);
  const pictures = new Map<string, Set<string>>();
  for (const { picture } of all) {
    if (!picture) continue;
    const ids = pictures.get(picture.type) ?? new Set<string>();
    pictures.set(picture.type, ids.add(picture.id));
  }
  const shown: Selected =
    pictures.size === 0
      ? new Map()
      : await find(model, resource, [...pictures.keys()], pictures, caller);
  const complete = ({ summary, picture }: WithPicture): Summary => {
    const one = picture && shown.get(picture.type)?.get(picture.id)?.summary;
    const { id, display_name: name } = summary;
    return one ? { ...one, ...summary, id, display_name: name } : summary;
  };
  return new Map(
    [...found].map(([type, byId]) => [
      type,
      new Map([...byId].map(([id, one]) => [id, complete(one)])),
    ]),
  );
}

function summaryOf(
  model: Model,
  caller: Caller,
  { type, id, object, facts }: SelectedSummary,
): WithPicture {
  const known = model.type(type);
  const { access } = known.for(caller);
  const { displayName, picture, summary } = known.resource;
  const values = JSON.parse(object) as Body;
  const shown = (field: Field): unknown =>
    reaches(access.seen(field), facts.relations)
      ? inView(field, facts.view, values, model.site())
      : undefined;
  const further = summary.flatMap((field) => {
    const value = shown(field);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const paths = picture && (shown(picture) as Readonly<Record<string, string>> | undefined);
  const [target] = picture?.to && paths ? referredIds(picture, paths) : [];
  const own =
    picture?.to === null && paths ? { renditions: renditionsOf(paths, sizeIn(values)) } : {};
  return {
    summary: {
      id,
      display_name: shown(displayName) ?? null,
      ...own,
      ...Object.fromEntries(further),
    },
    picture: picture?.to && target ? { type: picture.to, id: target.id } : null,
  };
}

const sizeIn = ({ width, height }: Body): readonly [number, number] | null =>
  typeof width === 'number' && typeof height === 'number' ? [width, height] : null;
