/** Converts the parameters of Strapi's document service to a query of our lists. */
import type { ListQuery, ListSort } from '../../../objects/server/search/language/list-query';
import type { Condition, Operator } from '../../../objects/server/search/language/tree';

type Params = Readonly<Record<string, unknown>>;

/** Strapi's operators (https://docs.strapi.io/cms/api/rest/filters); `$null` and `$notNull` have a value of their own. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: 'eq',
  $eqi: 'eqi',
  $ne: 'ne',
  $nei: 'nei',
  $in: 'in',
  $notIn: 'notIn',
  $lt: 'lt',
  $lte: 'lte',
  $gt: 'gt',
  $gte: 'gte',
  $between: 'between',
  $contains: 'contains',
  $containsi: 'containsi',
  $notContains: 'notContains',
  $notContainsi: 'notContainsi',
  $startsWith: 'startsWith',
  $startsWithi: 'startsWithi',
  $endsWith: 'endsWith',
  $endsWithi: 'endsWithi',
};

/** Parameters in a form that our lists do not know. */
export class UnknownQuery extends Error {}

/** @throws UnknownQuery */
export function listQueryOf({ filters, _q, sort, start, limit }: Params): ListQuery {
  return {
    filter: isEmpty(filters) ? null : all(filters, null),
    words: typeof _q === 'string' && _q.trim() !== '' ? _q : null,
    sort: sortsOf(sort),
    offset: Number(start ?? 0),
    limit: Number(limit ?? 0),
  };
}

const isEmpty = (filters: unknown): boolean => filters === undefined || filters === null;

/** All conditions of an object of Strapi's filters. @param attribute that they compare; null for any */
function all(given: unknown, attribute: string | null): Condition {
  if (Array.isArray(given)) return { by: 'all', parts: given.map((part) => all(part, attribute)) };
  if (!isObject(given)) return valueOf(attribute, 'eq', given);
  const parts = Object.entries(given).map(([name, part]) => condition(name, part, attribute));
  const [only] = parts;
  return parts.length === 1 && only ? only : { by: 'all', parts };
}

function condition(name: string, part: unknown, attribute: string | null): Condition {
  if (name === '$not') return { by: 'not', part: all(part, attribute) };
  if (name === '$and' || name === '$or') {
    if (!Array.isArray(part)) throw new UnknownQuery(name);
    const parts = part.map((one: unknown) => all(one, attribute));
    return { by: name === '$and' ? 'all' : 'any', parts };
  }
  if (name === '$null' || name === '$notNull')
    return valueOf(attribute, isTrue(part) === (name === '$null') ? 'null' : 'notNull', null);
  if (name.startsWith('$')) {
    const operator = OPERATORS[name];
    if (!operator) throw new UnknownQuery(name);
    return valueOf(attribute, operator, part);
  }
  if (attribute === null) return all(part, name);
  return { by: 'related', attribute, part: condition(name, part, null) };
}

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1';

function valueOf(attribute: string | null, operator: Operator, given: unknown): Condition {
  if (attribute === null) throw new UnknownQuery(operator);
  if (operator === 'null' || operator === 'notNull')
    return { by: 'attribute', attribute, operator, values: [] };
  const values = (Array.isArray(given) ? (given as unknown[]) : [given]).map((one) => {
    if (typeof one === 'string') return one;
    if (typeof one === 'number' || typeof one === 'boolean') return String(one);
    throw new UnknownQuery(attribute);
  });
  return { by: 'attribute', attribute, operator, values };
}

/** `time:DESC`, several of them with commas or in a list, `{ time: 'desc' }`, or through a relation. */
function sortsOf(given: unknown): readonly ListSort[] {
  if (given === undefined || given === null || given === '') return [];
  if (Array.isArray(given)) return given.flatMap((one: unknown) => sortsOf(one));
  if (typeof given === 'string') return given.split(',').map(sortOf);
  if (!isObject(given)) throw new UnknownQuery('sort');
  return Object.entries(given).flatMap(([attribute, order]) =>
    isObject(order)
      ? Object.entries(order).map(([of, to]) => ordered(attribute, of, to))
      : ordered(attribute, null, order),
  );
}

function sortOf(text: string): ListSort {
  const [path = '', direction = 'asc'] = text.trim().split(':');
  const [attribute = '', of = null, ...deeper] = path.split('.');
  if (deeper.length > 0) throw new UnknownQuery('sort');
  return ordered(attribute, of, direction);
}

const ordered = (attribute: string, of: string | null, direction: unknown): ListSort => ({
  attribute,
  of,
  isDescending: String(direction).toLowerCase() === 'desc',
});

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
