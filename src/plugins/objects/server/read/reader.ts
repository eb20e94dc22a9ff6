/** The reader: gives an object as one caller may see it. */
import type { Caller } from '../../../../core/caller';
import { ApiError, fail, issue, malformed } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { andThen, type Soon } from '../../../../core/soon';
import { bind } from '../database/sql';
import type { Field, Resource } from '../declare/completed';
import type { CallerModel, Model, TypeModel } from './model';
import { callerArgs } from '../rights/caller-args';
import { reaches } from '../declare/row';
import { EXACT, objectInView, sourcesOf } from '../declare/views';
import type { SiteSettings } from '../site/settings';
import type { Body, Found, Inspected, ReadOptions } from '../declare/objects';
import { PERMISSIONS } from './facts';
import { readIncluded } from './include';
import { joinObjects, type ObjectSelect, type Selected } from './select';

/** The object with this ID as this caller may see it. @throws ApiError ENTITY_NOT_FOUND, MALFORMED */
export function readObject(
  model: Model,
  type: string,
  id: string,
  caller: Caller,
  options: ReadOptions = {},
): Soon<Found> {
  const known = model.type(type);
  const compiled = known.for(caller);
  return andThen(find(model, type, compiled, compiled.select, id, caller), (selected) => {
    checkNames(known.resource, options);
    if (selected.isMerged) return referral(known.resource, selected);
    const { version } = selected;
    const { text, actions } = wholeOf(model, known, compiled, selected);
    const mayUpdate = actions.includes('update');
    return andThen(shaped(model, known.resource, text, caller, options), (shapedText) => ({
      text: shapedText,
      version,
      mayUpdate,
    }));
  });
}

/** What is told of an object that was merged into another one, whatever is asked for: which. */
function referral({ mergedInto }: Resource, { parts, version }: Selected): Found {
  const object = JSON.parse(joinObjects(parts)) as Body;
  const name = mergedInto?.name ?? '';
  const text = JSON.stringify({ id: object['id'], [name]: object[name] });
  return { text, version, mayUpdate: false };
}

/** Objects as this caller may see them, by their IDs; those that it may not read are not among them. */
export async function readObjects(
  model: Model,
  type: string,
  ids: readonly string[],
  caller: Caller,
): Promise<ReadonlyMap<string, string>> {
  const known = model.type(type);
  const compiled = known.for(caller);
  const args = { ids: JSON.stringify(ids), ...callerArgs(caller, model.clock()) };
  const rows = await model.database.read(bind(compiled.selectMany.sql, args));
  return new Map(
    rows.map((row) => {
      const selected = compiled.selectMany.read(row);
      return [selected.id, wholeOf(model, known, compiled, selected).text];
    }),
  );
}

/**
 * Some fields of objects as this caller may see them, by their IDs, without `permissions`; objects that it may not read
 * are not among them. Costs less than `readObjects`.
 */
export async function readParts(
  model: Model,
  type: string,
  ids: readonly string[],
  caller: Caller,
  fields: readonly string[],
): Promise<ReadonlyMap<string, Body>> {
  const { resource, ...known } = model.type(type);
  const wanted = fields.flatMap((name) => resource.fields.get(name) ?? []);
  const sources = [...new Set(wanted.flatMap(sourcesOf))];
  const statement = known.for(caller).selectSome(sources);
  const args = { ids: JSON.stringify(ids), ...callerArgs(caller, model.clock()) };
  const site = model.site();
  const rows = await model.database.read(bind(statement.sql, args));
  return new Map(
    rows.map((row) => {
      const { id, parts, facts } = statement.read(row);
      const stored = JSON.parse(joinObjects(parts)) as Body;
      // What a field is generalized from is not given beside it.
      const isWhole = facts.view === EXACT && sources.length === wanted.length;
      return [id, isWhole ? stored : objectInView(wanted, facts.view, stored, site)];
    }),
  );
}

/** The object with what the caller may do with it, as JSON text. */
function wholeOf(
  model: Model,
  { resource }: TypeModel,
  { permitted }: CallerModel,
  selected: Selected,
): { readonly text: string; readonly actions: readonly string[] } {
  const { actions, text } = permitted(selected.facts);
  return { text: joinObjects([...shown(resource, selected, model.site()), text]), actions };
}

/** The object as it is stored, with what this caller may do with it. @throws ApiError as `readObject` */
export async function inspectObject(
  model: Model,
  type: string,
  id: string,
  caller: Caller,
  fields: readonly string[],
): Promise<Inspected> {
  const compiled = model.type(type).for(caller);
  const { access } = compiled;
  const { facts, parts } = await find(model, type, compiled, compiled.inspect(fields), id, caller);
  return {
    object: JSON.parse(joinObjects(parts)) as Body,
    may: (action) => reaches(access.extent(action), facts.relations),
  };
}

/** @throws ApiError ENTITY_NOT_FOUND for what the caller may not read */
function find(
  model: Model,
  type: string,
  { access }: CallerModel,
  statement: ObjectSelect,
  id: string,
  caller: Caller,
): Soon<Selected> {
  const readable = access.extent('read');
  if (readable.length === 0) throw new ApiError(access.refusal('read'));
  return andThen(isUuid(id) ? select(model, statement, id, caller) : null, (selected) => {
    if (!selected || !reaches(readable, selected.facts.relations))
      throw fail('ENTITY_NOT_FOUND', { type, id });
    return selected;
  });
}

function select(
  model: Model,
  compiled: ObjectSelect,
  id: string,
  caller: Caller,
): Soon<Selected | null> {
  const args = { id: id.toLowerCase(), ...callerArgs(caller, model.clock()) };
  return andThen(model.database.read(bind(compiled.sql, args)), ([row]) => {
    if (!row) return null;
    const { instead } = compiled;
    return instead?.of(row) ? select(model, instead.select, id, caller) : compiled.read(row);
  });
}

/** The object in the view that the caller has of it, as JSON objects. */
function shown(
  { fields }: Resource,
  { parts, facts }: Selected,
  site: SiteSettings,
): readonly string[] {
  if (facts.view === EXACT) return parts;
  const object = JSON.parse(joinObjects(parts)) as Body;
  return [JSON.stringify(objectInView(fields.values(), facts.view, object, site))];
}

/** The object with these fields alone, as far as it has them. */
export const cutTo = (object: Body, fields: readonly string[]): Body =>
  Object.fromEntries(fields.filter((name) => name in object).map((name) => [name, object[name]]));

/** Adds the included summaries and reduces the object to the requested fields. */
function shaped(
  model: Model,
  resource: Resource,
  text: string,
  caller: Caller,
  { include, fields }: ReadOptions,
): Soon<string> {
  if (!include && !fields) return text;
  const object = JSON.parse(text) as Body;
  const cut = fields ? JSON.stringify(cutTo(object, fields)) : text;
  if (!include) return cut;
  return andThen(readIncluded(model, resource, [object], include, caller), (included) =>
    joinObjects([cut, JSON.stringify({ included })]),
  );
}

/** The fields that `include` may name: those that refer to objects. */
export const includable = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(isIncludable).map(({ name }) => name);

/** What `fields` may name: all that is shown. */
export const selectable = ({ fields }: Resource): string[] => [
  ...[...fields.values()].filter(isShown).map(({ name }) => name),
  PERMISSIONS,
];

function checkNames(resource: Resource, { include, fields }: ReadOptions): void {
  const issues = [
    ...(include?.every((name) => isIncludable(resource.fields.get(name))) === false
      ? [issue('include', 'NOT_ONE_OF', { allowed: includable(resource) })]
      : []),
    ...(fields?.every((name) => isSelectable(resource, name)) === false
      ? [issue('fields', 'NOT_ONE_OF', { allowed: selectable(resource) })]
      : []),
  ];
  if (issues.length > 0) throw malformed(issues);
}

const isIncludable = (field: Field | undefined): boolean =>
  field !== undefined && isShown(field) && field.to !== null;

function isSelectable({ fields }: Resource, name: string): boolean {
  const field = fields.get(name);
  return field ? isShown(field) : name === PERMISSIONS;
}

/** Whether a field is in the answer to any caller. */
export const isShown = ({ input, seen }: Field): boolean =>
  input === null && Object.values(seen).some((rights) => rights.length > 0);
