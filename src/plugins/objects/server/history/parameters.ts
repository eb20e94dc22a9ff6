/** The parameters of the two calls that read the history. */
import { issue, malformed, type Issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { parseTime } from '../../../../core/time';
import type { Resources } from '../declare/completed';
import { toldActions } from '../read/model';
import { DEFAULT_LIMIT, limitOf } from '../read/paging';
import type { Cursors, HistoryPosition } from './cursor';

/** A part of the history that is asked for. */
export interface PageQuery {
  readonly limit: number;
  /** Where the page begins; null for the first one. */
  readonly after: HistoryPosition | null;
}

/** The filters of the search; null for one that is not given. */
export interface HistoryFilters {
  readonly object: string | null;
  readonly actor: string | null;
  readonly type: string | null;
  readonly action: string | null;
  /** Milliseconds since 1970, both inclusive. */
  readonly atMin: number | null;
  readonly atMax: number | null;
}

/** The type of entries that record who has reached a limit. */
export const LIMIT_TYPE = 'limit';

/** The types of entries. */
export const historyTypes = (resources: Resources): string[] => [...resources.keys(), LIMIT_TYPE];

/** The actions that entries record: those of every type, those of single types, and `exceed` of a limit. */
export const historyActions = (resources: Resources): string[] => [
  ...new Set([
    'create',
    'update',
    'delete',
    ...[...resources.values()].flatMap(toldActions),
    'exceed',
  ]),
];

/** Reads the value of a parameter. @returns null for a malformed one, with an issue */
type Read<T> = (name: string, text: string, issues: Issue[]) => T | null;

const id: Read<string> = (name, text, issues) => {
  if (isUuid(text)) return text.toLowerCase();
  issues.push(issue(name, 'FORMAT', { expected: 'uuid' }));
  return null;
};

const oneOf =
  (allowed: readonly string[]): Read<string> =>
  (name, text, issues) => {
    if (allowed.includes(text)) return text;
    issues.push(issue(name, 'NOT_ONE_OF', { allowed }));
    return null;
  };

/** The start or the end of a time: of a day, its first or last millisecond. */
const instant =
  (side: 'start' | 'end'): Read<number> =>
  (name, text, issues) => {
    const span = parseTime(text);
    if (!span) issues.push(issue(name, 'FORMAT', { expected: 'edtf' }));
    return span && span[side];
  };

/** Reads the parameters that both calls have, and collects the issues of all. */
class Reader {
  readonly issues: Issue[] = [];

  constructor(private readonly parameters: ReadonlyMap<string, string>) {}

  read<T>(name: string, read: Read<T>): T | null {
    const text = this.parameters.get(name);
    return text === undefined ? null : read(name, text, this.issues);
  }

  page(cursors: Cursors): PageQuery {
    const after = this.read('cursor', (name, text, issues) => {
      const position = cursors.decode(text);
      if (!position) issues.push(issue(name, 'FORMAT', { expected: 'cursor' }));
      return position;
    });
    const limit = this.read('limit', (_, text, issues) => limitOf(text, issues, 1));
    return { limit: limit ?? DEFAULT_LIMIT, after };
  }

  /** @throws ApiError MALFORMED */
  finish(known: readonly string[]): void {
    const unknown = [...this.parameters.keys()].filter((name) => !known.includes(name));
    const issues = [...this.issues, ...unknown.map((name) => issue(name, 'UNKNOWN', {}))];
    if (issues.length > 0) throw malformed(issues);
  }
}

const OF_PAGES = ['limit', 'cursor'];

/** @throws ApiError MALFORMED with the parameters that are wrong */
export function readPageQuery(
  parameters: ReadonlyMap<string, string>,
  cursors: Cursors,
): PageQuery {
  const reader = new Reader(parameters);
  const page = reader.page(cursors);
  reader.finish(OF_PAGES);
  return page;
}

/** @throws ApiError MALFORMED with the parameters that are wrong */
export function readSearchQuery(
  parameters: ReadonlyMap<string, string>,
  cursors: Cursors,
  resources: Resources,
): PageQuery & HistoryFilters {
  const reader = new Reader(parameters);
  const query = {
    ...reader.page(cursors),
    object: reader.read('object', id),
    actor: reader.read('actor', id),
    type: reader.read('type', oneOf(historyTypes(resources))),
    action: reader.read('action', oneOf(historyActions(resources))),
    atMin: reader.read('at_min', instant('start')),
    atMax: reader.read('at_max', instant('end')),
  };
  reader.finish([...OF_PAGES, 'object', 'actor', 'type', 'action', 'at_min', 'at_max']);
  return query;
}
