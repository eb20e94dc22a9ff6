/**
 * Checks the queries of the panel's lists, pickers and forms: known parameters in the shape that Strapi expects, over
 * attributes that the user may read. Strapi itself checks the filters of some of its routes and the sort order of none,
 * and answers 500 to unexpected shapes.
 */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context, Next } from 'koa';
import {
  isBoundedText,
  readableAttributes,
  type Attributes,
  type AttributeComparison,
} from '../attributes';
import { canRead, type PanelContext } from '../strapi-internals';
import { roleOf } from './who';

type Query = Record<string, unknown>;
type Read = (uid: string) => Attributes | null;

/** The depth of filters and the length of a list. */
const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
/** The maximum page size. */
const MAX_PAGE_SIZE = 100;

/** Parameters for translation and publication, which our types do not have: ignored. */
const MEANINGLESS = new Set(['locale', 'status', 'plugins', 'publicationFilter']);

const wrong = (what: string): errors.ValidationError =>
  new errors.ValidationError(`The query has an invalid parameter: ${what}.`);

/** The middleware for a route of the content manager. */
export const checkQuery =
  (strapi: Core.Strapi) =>
  (ctx: Context, next: Next): Promise<unknown> => {
    const { state } = ctx as unknown as PanelContext;
    const { user } = state;
    const { model, targetField } = ctx.params as Readonly<Record<string, string | undefined>>;
    if (model === undefined || user === undefined) return next();
    const read: Read = (uid) => readableAttributes(strapi, uid, roleOf(user));
    const attributes = read(model);
    if (!attributes || isOfOtherKind(strapi, model, ctx.path)) throw wrong(model);
    // Strapi's own refusal of a picker is followed by an internal error.
    if (targetField !== undefined && !canRead(strapi, state, model)())
      throw new errors.ForbiddenError();
    const query: Query = ctx.query;
    for (const name of MEANINGLESS) delete query[name];
    const checks =
      targetField === undefined ? LIST(attributes, read) : pickerOf(attributes, targetField);
    for (const [name, value] of Object.entries(query)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check?.(value) !== true) throw wrong(name);
    }
    return next();
  };

/** Strapi would return and change the first document of a collection type requested as a single type. */
function isOfOtherKind(strapi: Core.Strapi, model: string, path: string): boolean {
  const [, of] = /^\/content-manager\/(single|collection)-types\//.exec(path) ?? [];
  const { kind } = strapi.contentTypes[model as never] as { readonly kind: string };
  return of !== undefined && kind !== `${of}Type`;
}

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const PAGES: Checks = {
  page: isWhole(1e9),
  pageSize: isWhole(MAX_PAGE_SIZE),
  _q: isBoundedText,
};

const LIST = (attributes: Attributes, read: Read): Checks => ({
  ...PAGES,
  sort: (value) => isListOf(value, (part) => isOrder(part, attributes, read)),
  filters: (value) => isFilter(value, attributes, read, MAX_DEPTH),
});

const PICKER: Checks = {
  ...PAGES,
  id: isBoundedText,
  idsToOmit: (value) => isListOf(value, isBoundedText),
  idsToInclude: (value) => isListOf(value, isBoundedText),
  _filter: (value) => value === '$containsi' || value === '$startsWithi',
};

/** @throws ValidationError for a field that is not a readable relation */
function pickerOf(attributes: Attributes, name: string): Checks {
  const target = attributes.get(name)?.target ?? null;
  if (target === null || target.startsWith('admin::')) throw wrong(name);
  return PICKER;
}

function isWhole(max: number): Check {
  return (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0;
    return number >= 1 && number <= max;
  };
}

/** One value or a list, which a repeated parameter gives. */
function isListOf(value: unknown, check: Check): boolean {
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  return values.length <= MAX_ITEMS && values.every(check);
}

/** Checks a sort order: `locality:ASC`, or `taxonomy.scientificName:DESC` through a reference. */
function isOrder(value: unknown, attributes: Attributes, read: Read): boolean {
  if (typeof value !== 'string') return false;
  const [path = '', direction = 'asc', ...rest] = value.split(':');
  if (rest.length > 0 || !/^(asc|desc)$/i.test(direction)) return false;
  const [name = '', further, ...deeper] = path.split('.');
  const attribute = attributes.get(name);
  if (!attribute || deeper.length > 0) return false;
  if (further === undefined) return attribute.comparison !== null;
  const target = attribute.isToOne ? read(attribute.target ?? '') : null;
  return (target?.get(further)?.comparison ?? null) !== null;
}

const LISTS = new Set(['$in', '$notIn', '$between']);
const PRESENCE = new Set(['$null', '$notNull']);
const GROUPS = new Set(['$and', '$or']);

/** Checks a condition on attributes, or a group of conditions. */
function isFilter(value: unknown, attributes: Attributes, read: Read, depth: number): boolean {
  if (!isObject(value) || depth === 0) return false;
  return Object.entries(value).every(([name, part]) => {
    const nested: Check = (item) => isFilter(item, attributes, read, depth - 1);
    if (GROUPS.has(name)) return Array.isArray(part) && isListOf(part, nested);
    if (name === '$not') return nested(part);
    const attribute = attributes.get(name);
    if (!attribute) return false;
    const { target, comparison } = attribute;
    if (target === null) return isCondition(part, comparison, depth - 1);
    const further = read(target);
    return further !== null && isFilter(part, further, read, depth - 1);
  });
}

/** Checks the condition on one attribute: a value, or operators with values. */
function isCondition(
  value: unknown,
  comparison: AttributeComparison | null,
  depth: number,
): boolean {
  if (!isObject(value)) return comparison?.holds(value) === true;
  if (depth === 0) return false;
  return Object.entries(value).every(([operator, part]) => {
    if (PRESENCE.has(operator)) return part === 'true' || part === 'false';
    if (operator === '$not') return isCondition(part, comparison, depth - 1);
    if (comparison?.operators.has(operator) !== true) return false;
    if (!LISTS.has(operator)) return comparison.holds(part);
    return Array.isArray(part) && isListOf(part, comparison.holds);
  });
}

const isObject = (value: unknown): value is Query =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
