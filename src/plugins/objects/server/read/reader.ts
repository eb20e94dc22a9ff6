/** The reader: gives an object as one caller may see it. */
import type { Caller } from '../../../../core/caller';
import { ApiError, fail, issue, malformed, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { bind } from '../database/sql';
import type { Field, Resource } from '../define/completed';
import type { CallerModel, Model, TypeModel } from '../model';
import { callerArgs } from '../rights/access';
import { reaches } from '../rights/row';
import { EXACT, objectInView } from '../rights/views';
import type { SiteSettings } from '../site';
import type { Body, Found, Inspected, ReadOptions } from '../types';
import { readIncluded } from './include';
import { joinObjects, type ObjectSelect, type Selected } from './select';

/** The object with this ID as this caller may see it. @throws ApiError ENTITY_NOT_FOUND, MALFORMED */
export async function readObject(
  model: Model,
  type: string,
  id: string,
  caller: Caller,
  options: ReadOptions = {},
): Promise<Found> {
  const known = model.type(type);
  const compiled = known.for(caller);
  const selected = await find(model, type, compiled, compiled.select, id, caller);
  checkNames(known.resource, options);
  if (selected.isMerged) return referral(known.resource, selected);

  const { text, permissions } = wholeOf(model, known, compiled, selected);
  return {
    text: await shaped(model, known.resource, text, caller, options),
    version: selected.version,
    mayUpdate: permissions.includes('update'),
  };
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
  const args = { ids: JSON.stringify(ids), ...callerArgs(caller, Date.now()) };
  const rows = await model.database.read(bind(compiled.selectMany.sql, args));
  return new Map(
    rows.map((row) => {
      const selected = compiled.selectMany.read(row);
      return [selected.id, wholeOf(model, known, compiled, selected).text];
    }),
  );
}

/** The object with what the caller may do with it, as JSON text. */
function wholeOf(
  model: Model,
  known: TypeModel,
  compiled: CallerModel,
  selected: Selected,
): { readonly text: string; readonly permissions: readonly string[] } {
  const permissions = permitted(known, compiled, selected);
  const told = `{"permissions":${JSON.stringify(permissions)}}`;
  const text = joinObjects([...shown(known.resource, selected, model.site()), told]);
  return { text, permissions };
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
async function find(
  model: Model,
  type: string,
  { access }: CallerModel,
  statement: ObjectSelect,
  id: string,
  caller: Caller,
): Promise<Selected> {
  const readable = access.extent('read');
  if (readable.length === 0) throw new ApiError(access.refusal('read'));
  const selected = isUuid(id) ? await select(model, statement, id, caller) : null;
  if (!selected || !reaches(readable, selected.facts.relations))
    throw fail('ENTITY_NOT_FOUND', { type, id });
  return selected;
}

async function select(
  { database }: Model,
  compiled: ObjectSelect,
  id: string,
  caller: Caller,
): Promise<Selected | null> {
  const args = { id: id.toLowerCase(), ...callerArgs(caller, Date.now()) };
  const [row] = await database.read(bind(compiled.sql, args));
  return row ? compiled.read(row) : null;
}

/** The actions on an object that this caller may carry out. */
const permitted = (
  { actions }: TypeModel,
  { access }: CallerModel,
  { facts }: Selected,
): readonly string[] =>
  actions.filter(
    (action) =>
      reaches(access.extent(action), facts.relations) &&
      reaches(access.offered(action), facts.relations),
  );

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
async function shaped(
  model: Model,
  resource: Resource,
  text: string,
  caller: Caller,
  { include, fields }: ReadOptions,
): Promise<string> {
  if (!include && !fields) return text;
  const object = JSON.parse(text) as Body;
  const cut = fields ? cutTo(object, fields) : object;
  if (!include) return JSON.stringify(cut);
  const included = await readIncluded(model, resource, [object], include, caller);
  return JSON.stringify({ ...cut, included });
}

/** The fields that `include` may name: those that refer to objects. */
export const includable = ({ fields }: Resource): string[] =>
  [...fields.values()]
    .filter((field) => isShown(field) && field.to !== null)
    .map(({ name }) => name);

/** What `fields` may name: all that is shown. */
export const selectable = ({ fields }: Resource): string[] => [
  ...[...fields.values()].filter(isShown).map(({ name }) => name),
  'permissions',
];

function checkNames(resource: Resource, { include, fields }: ReadOptions): void {
  const unknown = (
    path: string,
    given: readonly string[] | undefined,
    allowed: string[],
  ): Issue[] =>
    given?.every((name) => allowed.includes(name)) === false
      ? [issue(path, 'NOT_ONE_OF', { allowed })]
      : [];
  const issues = [
    ...unknown('include', include, includable(resource)),
    ...unknown('fields', fields, selectable(resource)),
  ];
  if (issues.length > 0) throw malformed(issues);
}

/** Whether a field is in the answer to any caller. */
export const isShown = ({ input, seen }: Field): boolean =>
  input === null && Object.values(seen).some((rights) => rights.length > 0);
