/** Gives an object as one caller may see it. */
import { granted, judge, owns, type Subject } from '../../../accounts/server/permissions';
import type { Caller } from '../../../accounts/server/caller';
import { fail, issue, malformed, type Issue } from '../../../wire/server/errors';
import type { Row } from '../database/work';
import type { Audience } from '../define/declaration';
import type { Field, Resource } from '../define/resource';
import type { Model } from '../model';
import type { Body, Found, ReadOptions } from '../types';
import { isUuid } from '../../../wire/server/uuid';
import { belongs } from '../validate/validator';
import { readIncluded } from './include';
import { joinObjects, LEADING_COLUMNS, type ObjectSelect } from './select';

/** The object with this ID as this caller may see it. @throws WireError ENTITY_NOT_FOUND, MALFORMED */
export async function readObject(
  model: Model,
  type: string,
  id: string,
  caller: Caller,
  options: ReadOptions = {},
): Promise<Found> {
  const known = model.type(type);
  const { resource } = known;
  const { permissions: table } = resource;
  const site = model.site();
  if (judge(table, 'read', caller, site) === 'login') throw fail('LOGIN_REQUIRED', {});
  const select = known.selectFor(caller);
  const row = isUuid(id) ? await readRow(model, select, id.toLowerCase(), caller) : undefined;
  const subject = subjectOf(row);
  if (!row || judge(table, 'read', caller, site, subject) !== 'granted') {
    throw fail('ENTITY_NOT_FOUND', { type, id });
  }
  checkNames(resource, options);

  const permissions = granted(table, caller, site, subject);
  const seen = visibleParts(row, select.audiences, caller, owns(caller, subject.owner));
  const whole = joinObjects([...seen, `{"permissions":${JSON.stringify(permissions)}}`]);
  return {
    text: await shaped(model, resource, whole, caller, options),
    version: Number(row[1]),
    mayUpdate: permissions.includes('update'),
  };
}

async function readRow(
  model: Model,
  select: ObjectSelect,
  id: string,
  caller: Caller,
): Promise<Row | undefined> {
  const rows = await model.database.read(select.text, select.values(id, caller.id));
  return rows[0];
}

/** What the table of permissions asks of a row of an object's select. */
export const subjectOf = (row: Row | undefined): Subject => ({
  owner: (row?.[2] ?? null) as string | null,
  isApproved: Number(row?.[3]) === 1,
});

function visibleParts(
  row: Row,
  audiences: readonly Audience[],
  caller: Caller,
  isOwner: boolean,
): string[] {
  return audiences.flatMap((audience, position) =>
    belongs(caller, audience, isOwner) ? [String(row[LEADING_COLUMNS + position])] : [],
  );
}

/** With what it refers to, and cut to the fields that were asked for. */
async function shaped(
  model: Model,
  resource: Resource,
  text: string,
  caller: Caller,
  { include, fields }: ReadOptions,
): Promise<string> {
  if (!include && !fields) return text;
  const object = JSON.parse(text) as Body;
  const cut = fields
    ? Object.fromEntries(
        fields.filter((name) => name in object).map((name) => [name, object[name]]),
      )
    : object;
  if (!include) return JSON.stringify(cut);
  const included = await readIncluded(model, resource, [object], include, caller);
  return JSON.stringify({ ...cut, included });
}

function checkNames(resource: Resource, { include, fields, invalid = [] }: ReadOptions): void {
  const all = [...resource.fields.values()].filter((field) => isShown(field));
  const names = [...all.map((field) => field.name), 'permissions'];
  const references = all.filter((field) => field.to !== null).map((field) => field.name);
  const strangers = (
    path: string,
    given: readonly string[] | undefined,
    allowed: string[],
  ): Issue[] =>
    given?.every((name) => allowed.includes(name)) === false
      ? [issue(path, 'NOT_ONE_OF', { allowed })]
      : [];
  const issues = [
    ...invalid,
    ...strangers('include', include, references),
    ...strangers('fields', fields, names),
  ];
  if (issues.length > 0) throw malformed(issues);
}

/** Whether a field is part of anybody's answer. */
const isShown = ({ input, seen }: Field): boolean => !input && seen !== 'nobody';
