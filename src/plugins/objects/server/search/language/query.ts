/** Reads the parameters of a search. */
import { issue, malformed, type Issue } from '../../../../../core/errors';
import { plainField } from '../../declare/common';
import type { Resource, Resources } from '../../declare/completed';
import { includable, selectable } from '../../read/reader';
import type { SiteSettings } from '../../site/settings';
import type { FieldCondition } from './tree';
import { customFilters, filtersByName, sortable } from './filters';
import { positionOf } from '../../declare/position';
import { MAX_OFFSET, MAX_SORT_KEYS } from './limits';
import { DEFAULT_LIMIT, limitOf, wholeNumber } from '../../read/paging';
import type { Circle } from './tree';
import { DISTANCE, type Place, type SortKey } from './sort';
import { specialReads, type Read } from './special';
import { readFilter } from './values';

export interface SearchQuery {
  readonly conditions: readonly FieldCondition[];
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly offset: number;
  /** Where the page begins; null for the first one. */
  readonly after: Place | null;
  readonly count: 'bounded' | 'exact' | 'none';
  readonly expand: boolean;
  readonly include: readonly string[] | null;
  readonly fields: readonly string[] | null;
  /** What a cursor is bound to. */
  readonly bound: string;
}

type Parameters = ReadonlyMap<string, string>;

/** What stands for the order by distance. */
const DISTANCE_FIELD = plainField(DISTANCE, 'number', 'From the centre of `near`.');

/** Parameters that a later page may have otherwise. */
export const OF_THE_PAGE: ReadonlySet<string> = new Set([
  ...['limit', 'cursor', 'offset', 'count', 'expand', 'include', 'fields'],
]);

/**
 * The parameters of a type, each with how it is read.
 *
 * @throws ApiError MALFORMED with all that is wrong
 */
export function readQuery(
  resource: Resource,
  resources: Resources,
  site: SiteSettings,
  parameters: Parameters,
  placeAt: (cursor: string, bound: string) => Place | null,
  invalid: readonly Issue[] = [],
): SearchQuery {
  const issues: Issue[] = [...invalid];
  const conditions: FieldCondition[] = [];
  const page: PageParameters = { ...FIRST_PAGE };
  const definitions = site.customFields[resource.type] ?? [];
  const declared = filtersByName(resource);
  const added = new Map(customFilters(resource, definitions).map((one) => [one.name, one]));
  const reads = new Map<string, Read>([
    ...specialReads(resource, resources, site, issues, conditions),
    ...pageReads(resource, page, issues),
    ['cursor', () => undefined],
    ['sort', () => undefined],
  ]);
  for (const [name, text] of parameters) {
    const filter = declared.get(name) ?? added.get(name);
    const read = reads.get(name);
    if (filter) readFilter(filter, text, issues, conditions);
    else if (read) read(text);
    else issues.push(issue(name, 'UNKNOWN', {}));
  }
  const sortedBy = parameters.get('sort');
  const near = conditions.find((one) => one.by === 'circle') ?? null;
  const sort = sortedBy === undefined ? [] : readSort(resource, sortedBy, near, issues);
  if (sort.some(({ from }) => from === null) && !parameters.has('near'))
    issues.push(issue('near', 'REQUIRED', {}));
  for (const name of ['include', 'fields'] as const)
    if (page[name] && !page.expand) issues.push(issue('expand', 'REQUIRED', {}));
  if (parameters.has('cursor') && parameters.has('offset'))
    issues.push(issue('offset', 'CONFLICT', { with: 'cursor' }));
  const bound = boundOf(resource, parameters);
  const cursor = parameters.get('cursor');
  const after = cursor === undefined ? null : placeAt(cursor, bound);
  if (cursor !== undefined && !after)
    issues.push(issue('cursor', 'FORMAT', { expected: 'cursor' }));
  if (issues.length > 0) throw malformed(unique(issues));
  return {
    conditions,
    sort: sort.map(({ from, ...key }) => (from ? { ...key, from } : key)),
    ...page,
    after,
    bound,
  };
}

type PageParameters = {
  -readonly [K in 'limit' | 'offset' | 'count' | 'expand' | 'include' | 'fields']: SearchQuery[K];
};

const FIRST_PAGE: Readonly<PageParameters> = {
  limit: DEFAULT_LIMIT,
  offset: 0,
  count: 'bounded',
  expand: false,
  include: null,
  fields: null,
};

/** What a page may have otherwise. */
const pageReads = (
  resource: Resource,
  page: PageParameters,
  issues: Issue[],
): readonly [string, Read][] => [
  ['limit', (text) => void (page.limit = limitOf(text, issues))],
  ['offset', (text) => void (page.offset = wholeNumber('offset', text, issues, [0, MAX_OFFSET]))],
  ['count', (text) => void (page.count = oneOf('count', text, ['exact', 'none'], issues))],
  [
    'expand',
    (text) => void (page.expand = oneOf('expand', text, ['true', 'false'], issues) === 'true'),
  ],
  [
    'include',
    (text) => void (page.include = namesIn('include', text, includable(resource), issues)),
  ],
  ['fields', (text) => void (page.fields = namesIn('fields', text, selectable(resource), issues))],
];

/** A query as a cursor is bound to it: whatever the page. */
const boundOf = ({ type }: Resource, parameters: Parameters): string =>
  JSON.stringify([
    type,
    [...parameters].filter(([name]) => !OF_THE_PAGE.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

const unique = (issues: readonly Issue[]): Issue[] => [
  ...new Map(issues.map((one) => [`${one.path} ${one.key}`, one])).values(),
];

function oneOf<T extends string>(
  name: string,
  text: string,
  allowed: readonly T[],
  issues: Issue[],
): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) issues.push(issue(name, 'NOT_ONE_OF', { allowed }));
  return found ?? (allowed[0] as T);
}

function namesIn(
  name: string,
  text: string,
  allowed: readonly string[],
  issues: Issue[],
): string[] {
  const names = text.split(',');
  if (!names.every((one) => allowed.includes(one)))
    issues.push(issue(name, 'NOT_ONE_OF', { allowed }));
  return names;
}

/** A key; of the distance, from what is not known where there is no centre. */
type Sorted = Omit<SortKey, 'from'> & { readonly from?: Circle | null };

function readSort(
  resource: Resource,
  text: string,
  near: Circle | null,
  issues: Issue[],
): Sorted[] {
  const fields = [...sortable(resource), ...(positionOf(resource) ? [DISTANCE_FIELD] : [])];
  const known = new Map(fields.map((field) => [field.name, field]));
  const names = text.split(',');
  if (names.length > MAX_SORT_KEYS) issues.push(issue('sort', 'TOO_LONG', { max: MAX_SORT_KEYS }));
  const keys = names.slice(0, MAX_SORT_KEYS).flatMap((name): Sorted[] => {
    const field = known.get(name.replace(/^-/, ''));
    const from = field === DISTANCE_FIELD ? { from: near } : {};
    return field ? [{ field, isDescending: name.startsWith('-'), ...from }] : [];
  });
  const isWhole = keys.length === Math.min(names.length, MAX_SORT_KEYS);
  if (!isWhole) issues.push(issue('sort', 'NOT_ONE_OF', { allowed: [...known.keys()] }));
  else if (new Set(keys.map(({ field }) => field)).size < keys.length)
    issues.push(issue('sort', 'CONFLICT', { with: 'sort' }));
  return keys;
}
