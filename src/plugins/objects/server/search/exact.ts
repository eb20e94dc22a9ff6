/** Finds objects by what their fields are, exactly, as far as the caller may see them. */
import * as yup from 'yup';
import type { Caller } from '../../../accounts/server/caller';
import { judge } from '../../../accounts/server/permissions';
import { fail, issue, malformed, type Issue } from '../../../wire/server/errors';
import { isUuid } from '../../../wire/server/uuid';
import type { SqlValue } from '../database/work';
import type { Audience, Kind } from '../define/declaration';
import type { Field, Resource } from '../define/resource';
import type { Model } from '../model';
import { isReadable } from '../read/visible';
import { issuesOf } from '../validate/complain';
import { normalize } from '../validate/normalize';
import { belongs } from '../validate/validator';
import { valueSchema } from '../validate/values';

/** What was found: IDs in their order. */
export interface Matches {
  readonly ids: readonly string[];
  /** All that match, 10,000 at most. */
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly limit: number;
  /** Where the next page begins, null where there is none. */
  readonly next: string | null;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_TOTAL = 10_000;
const MAX_VALUES = 100;

type Read = (text: string) => unknown;

const asText: Read = (text) => text;
const asNumber: Read = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
const asBoolean: Read = (text) => (text === 'true' ? true : text === 'false' ? false : text);

/** How a value of each kind is written in a parameter; null for kinds that are not found by what they are. */
const READS: Record<Kind, Read | null> = {
  id: asText,
  text: asText,
  uuid: asText,
  email: asText,
  url: asText,
  country: asText,
  language: asText,
  choice: asText,
  number: asNumber,
  integer: asNumber,
  boolean: asBoolean,
  time: null,
  instant: null,
  localized: null,
  texts: null,
  measurements: null,
  customFields: null,
  region: asText,
  reference: asText,
  references: null,
  path: asText,
  secret: null,
};

/** The fields by which a type can be searched. */
export const searchable = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(
    ({ kind, columns, input }) => READS[kind] !== null && columns.length > 0 && !input,
  );

/** One condition of the search. */
interface Filter {
  readonly field: Field;
  readonly values: readonly unknown[];
}

/** @throws WireError LOGIN_REQUIRED, MALFORMED with the parameters that are wrong */
export async function findExact(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
): Promise<Matches> {
  const { resource } = model.type(type);
  const site = model.site();
  if (judge(resource.permissions, 'read', caller, site) === 'login')
    throw fail('LOGIN_REQUIRED', {});
  const { filters, limit, cursor } = readParameters(resource, parameters);

  const visible = isReadable(resource, caller.role, site, 'o', model.resources);
  const conditions = filters.map((filter) => conditionOf(model, resource, filter, caller));
  const where = [visible.text, ...conditions.map(({ text }) => text)].join(' and ');
  const values = [
    ...Array<SqlValue>(visible.parameters).fill(caller.id ?? ''),
    ...conditions.flatMap((condition) => condition.values),
  ];
  const from = `from ${resource.table} o where ${where}`;
  const rows = await model.database.read(
    `select o.document_id ${from} and o.document_id > ? order by o.document_id limit ${limit + 1}`,
    [...values, cursor],
  );
  const [counted] = await model.database.read(
    `select cast(count(*) as integer) from (select 1 ${from} limit ${MAX_TOTAL + 1}) t`,
    values,
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

function readParameters(resource: Resource, parameters: ReadonlyMap<string, string>) {
  const known = new Map(searchable(resource).map((field) => [field.name, field]));
  const issues: Issue[] = [];
  const filters: Filter[] = [];
  let [limit, cursor] = [DEFAULT_LIMIT, ''];
  for (const [name, text] of parameters) {
    const field = known.get(name);
    if (name === 'limit') {
      limit = /^\d{1,4}$/.test(text) ? Number(text) : -1;
      if (limit < 0) issues.push(issue(name, 'TYPE', { expected: 'integer' }));
      if (limit > MAX_LIMIT)
        issues.push(issue(name, 'TOO_LARGE', { value: limit, max: MAX_LIMIT }));
    } else if (name === 'cursor') {
      cursor = text.toLowerCase();
      if (!isUuid(cursor)) issues.push(issue(name, 'FORMAT', { expected: 'cursor' }));
    } else if (!field) issues.push(issue(name, 'UNKNOWN', {}));
    else filters.push({ field, values: valuesOf(field, text, issues) });
  }
  if (issues.length > 0) throw malformed(issues);
  return { filters, limit, cursor };
}

/** The values between the commas; a comma in a value has a backslash before it. */
function valuesOf(field: Field, text: string, issues: Issue[]): unknown[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
  if (parts.length > MAX_VALUES) issues.push(issue(field.name, 'TOO_LONG', { max: MAX_VALUES }));
  return parts.map((part) => {
    if (part === 'null') return null;
    const value = normalize(field, READS[field.kind]?.(part));
    issues.push(...faultsOf(field, value));
    return value;
  });
}

function faultsOf(field: Field, value: unknown): Issue[] {
  try {
    yup
      .object({ [field.name]: valueSchema(field) })
      .validateSync({ [field.name]: value }, { strict: true, context: { now: Date.now() } });
    return [];
  } catch (error) {
    if (yup.ValidationError.isError(error)) return issuesOf(error);
    throw error;
  }
}

interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Of a field that not everybody sees, only the objects count in which this caller sees it: it confirms nothing. */
function conditionOf(
  model: Model,
  resource: Resource,
  { field, values }: Filter,
  caller: Caller,
): Sql {
  const { dialect } = model.database;
  const rule = resource.unique.find(
    ({ fields }) => fields.length === 1 && fields[0] === field.name,
  );
  const target = field.to === null ? undefined : model.find(field.to)?.resource;
  const column = `o.${rule?.column ?? field.columns[0] ?? ''}`;
  const sql = target ? `(select t.id from ${target.table} t where t.document_id = ?)` : '?';
  const given = values
    .filter((value) => value !== null)
    .map((value) => (rule ? rule.key({ [field.name]: value }) : value))
    .map((value) => (typeof value === 'boolean' ? dialect.boolean(value) : (value as SqlValue)));
  const parts = [
    ...(values.includes(null) ? [`${column} is null`] : []),
    ...(given.length > 0 ? [`${column} in (${given.map(() => sql).join(', ')})`] : []),
  ];
  const seen = seenBy(resource, field.seen, caller);
  return { text: `(${parts.join(' or ')})${seen.text}`, values: [...given, ...seen.values] };
}

function seenBy({ ownedBy }: Resource, audience: Audience, caller: Caller): Sql {
  if (belongs(caller, audience, false)) return { text: '', values: [] };
  const [column] = ownedBy?.columns ?? [];
  const mayOwn = belongs(caller, audience, true) && column === 'document_id' && caller.id !== null;
  return mayOwn
    ? { text: ` and o.${column} = ?`, values: [caller.id] }
    : { text: ' and 1 = 0', values: [] };
}
