/** Finds objects by exact values of their fields, as far as the caller may see them. */
import * as yup from 'yup';
import type { Caller } from '../../../../core/caller';
import { ApiError, issue, malformed, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { anyOf, bind, join, literal, NEVER, raw, slot, sql, type Sql } from '../database/sql';
import type { Field, Resource } from '../define/completed';
import { isCurrent } from '../define/references';
import { definitionOf } from '../kinds';
import type { CallerModel, Model, TypeModel } from '../model';
import { callerArgs, type TypeAccess } from '../rights/access';
import { columnFor } from '../read/figures';
import { columnInView, EXACT } from '../rights/views';
import type { Matches } from '../types';
import { faultsAt, normalize, oversizedTexts, valueSchema } from '../validate/value';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;
const MAX_TOTAL = 10_000;
export const MAX_VALUES = 100;

/** The fields by which a type can be searched. */
export const searchable = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(
    ({ kind, columns, input }) =>
      definitionOf(kind).parameter !== null && columns.length > 0 && input === null,
  );

/** One condition of the search. */
interface Filter {
  readonly field: Field;
  readonly values: readonly unknown[];
}

interface Query {
  readonly filters: readonly Filter[];
  readonly limit: number;
  /** The ID after which the page begins. */
  readonly cursor: string;
}

/** @throws ApiError LOGIN_REQUIRED, MALFORMED with the parameters that are wrong */
export async function findExact(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
): Promise<Matches> {
  const known = model.type(type);
  const { database } = model;
  const compiled = known.for(caller);
  const { access } = compiled;
  const readable = access.extent('read');
  if (readable.length === 0) throw new ApiError(access.refusal('read'));
  const { filters, limit, cursor } = readParameters(known.resource, parameters);

  const conditions = filters.map((filter) =>
    conditionOf(database, model.resources, known, compiled, filter),
  );
  const where = join(
    [access.condition(readable, 'o'), isCurrent(known.resource, 'o'), ...conditions],
    ' and ',
  );
  const from = sql`from ${raw(known.resource.table)} o where ${where}`;
  const args = { ...callerArgs(caller, Date.now()), cursor, limit: limit + 1 };
  const run = (query: Sql) => database.read({ ...bind(query, args), isAdHoc: true });
  const rows = await run(
    sql`select o.document_id ${from} and o.document_id > ${slot('cursor')}
      order by o.document_id limit ${slot('limit')}`,
  );
  const [counted] = await run(
    sql`select cast(count(*) as integer) from (select 1 ${from} limit ${raw(String(MAX_TOTAL + 1))}) t`,
  );
  const total = Number(counted?.[0] ?? 0);
  const ids = rows.slice(0, limit).map(([id]) => String(id));
  return {
    ids,
    total: Math.min(total, MAX_TOTAL),
    isTotalExact: total <= MAX_TOTAL,
    limit,
    next: rows.length > limit && limit > 0 ? (ids.at(-1) ?? null) : null,
  };
}

function readParameters(resource: Resource, parameters: ReadonlyMap<string, string>): Query {
  const known = new Map(searchable(resource).map((field) => [field.name, field]));
  const issues: Issue[] = [];
  const filters: Filter[] = [];
  let [limit, cursor] = [DEFAULT_LIMIT, ''];
  for (const [name, text] of parameters) {
    const field = known.get(name);
    if (name === 'limit') limit = limitOf(text, issues);
    else if (name === 'cursor') {
      cursor = text.toLowerCase();
      if (!isUuid(cursor)) issues.push(issue(name, 'FORMAT', { expected: 'cursor' }));
    } else if (!field) issues.push(issue(name, 'UNKNOWN', {}));
    else filters.push({ field, values: valuesOf(field, text, issues) });
  }
  if (issues.length > 0) throw malformed(issues);
  return { filters, limit, cursor };
}

/** The number of results on a page. */
export function limitOf(text: string, issues: Issue[], min = 0): number {
  const limit = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(limit)) issues.push(issue('limit', 'TYPE', { expected: 'integer' }));
  if (limit < min) issues.push(issue('limit', 'TOO_SMALL', { value: limit, min }));
  if (limit > MAX_LIMIT) issues.push(issue('limit', 'TOO_LARGE', { value: limit, max: MAX_LIMIT }));
  return limit;
}

/** The values between the commas; in a value, a comma is escaped by a backslash. */
function valuesOf(field: Field, text: string, issues: Issue[]): unknown[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
  if (parts.length > MAX_VALUES) {
    issues.push(issue(field.name, 'TOO_LONG', { max: MAX_VALUES }));
    return [];
  }
  const schema = yup.object({ [field.name]: valueSchema(field) });
  return parts.map((part) => {
    if (part === 'null') return null;
    const given = definitionOf(field.kind).parameter?.read(part);
    const tooLong = oversizedTexts(field, given);
    issues.push(...tooLong);
    if (tooLong.length > 0) return null;
    const value = normalize(field, given);
    issues.push(...faultsAt(schema, field.name, { [field.name]: value }, { now: Date.now() }));
    return value;
  });
}

/**
 * A condition on a field that not everybody sees only matches objects in which this caller sees it, so that a search
 * reveals nothing.
 */
function conditionOf(
  { dialect }: Model['database'],
  resources: Model['resources'],
  { resource }: TypeModel,
  { access }: CallerModel,
  { field, values }: Filter,
): Sql {
  const rule = resource.unique.find(
    ({ fields }) => fields.length === 1 && fields[0] === field.name,
  );
  const given = values.filter((value) => value !== null);
  const { parameter, referredId } = definitionOf(field.kind);
  const type = parameter?.type ?? 'text';
  const target = field.to === null ? undefined : resources.get(field.to);
  const equals = (column: string): Sql => {
    const isKey = column === rule?.column;
    const rows = given.map((value) => [
      isKey ? rule.key({ [field.name]: value }) : (referredId?.(value) ?? value),
    ]);
    const listed = sql`select r.value from ${dialect.jsonRows(sql`${JSON.stringify(rows)}`, [{ name: 'value', type }])}`;
    const wanted = target
      ? sql`select t.id from ${raw(target.table)} t where t.document_id in (${listed})`
      : listed;
    const name = raw(`o.${column}`);
    return anyOf([
      ...(values.includes(null) ? [sql`${name} is null`] : []),
      ...(rows.length > 0 ? [sql`${name} in (${wanted})`] : []),
    ]);
  };
  const condition = inViews(
    resource,
    access,
    { ...field, columns: [rule?.column ?? columnFor(field, access.role) ?? ''] },
    equals,
  );
  return sql`${condition} and ${access.condition(access.seen(field), 'o')}`;
}

/**
 * A condition on the value of a field in the caller's view of each object. Where the field is hidden, nothing is found.
 *
 * @param meets the condition on a column
 */
function inViews(
  { views }: Resource,
  access: TypeAccess,
  field: Field,
  meets: (column: string) => Sql,
): Sql {
  const view = access.view('o');
  const names = [EXACT, ...(views?.names ?? [])];
  const columns = names.map((name) => columnInView(field, name));
  const [stored = null] = columns;
  if (!view || columns.every((column) => column === stored))
    return stored === null ? NEVER : meets(stored);
  const cases = names.map((name, at) => {
    const column = columns[at] ?? null;
    return sql`when ${literal(name)} then ${column === null ? NEVER : meets(column)}`;
  });
  return sql`case ${view} ${join(cases, ' ')} else ${NEVER} end`;
}
