/** How a search is carried out, as a value: `execute` makes statements of it, `explainPlan` a description. */
import type { Resource } from '../../declare/completed';
import type { SearchQuery } from '../language/query';
import type { Place, SortKey } from '../language/sort';
import { named, type Condition } from '../language/tree';
import type { EarlyScan } from './ordered';
import type { Scan } from './scans';

/** Beside reads, for what looks at few rows; or apart from them (`Database.readApart`). */
export type Runs = 'inline' | 'worker';

/** How the rows of a page are met, and how they come into its order: they are met in it, or collected and sorted. */
export interface PageScan {
  readonly rows: Scan;
  readonly order: 'met' | 'sorted';
}

/** The first rows in the order of the page had all of it: it is known already. */
export interface EarlyPlan {
  readonly by: 'early';
  readonly places: readonly Place[];
  readonly runs: Runs;
}

/** What few rows meet is collected, sorted, and so counted. */
export interface CollectPlan {
  readonly by: 'collect';
  readonly rows: Scan;
  /** What few rows meet: a condition, or the type as a whole. */
  readonly bound: Condition | 'type';
  readonly runs: 'inline';
}

/** Nothing is counted. */
export interface PagePlan {
  readonly by: 'page';
  readonly page: PageScan;
  readonly runs: Runs;
}

/** What is found is counted first: the number decides how the page is met. */
export interface CountPlan {
  readonly by: 'count';
  /** What is counted, and up to which number; null for all. */
  readonly rows: Scan;
  readonly upTo: number | null;
  /** Where so few are found that they are sorted (`MAX_SORTED`, `SORTED_PER_PASSED`); null where there are surely more. */
  readonly few: PageScan | null;
  readonly many: PageScan;
  /** Tried before anything is counted. */
  readonly early: EarlyScan | null;
  readonly runs: Runs;
}

export type Plan = EarlyPlan | CollectPlan | PagePlan | CountPlan;

/** A plan as people read it: the conditions have the names of their parameters. */
export interface PlanDescription {
  readonly type: string;
  readonly conditions: readonly string[];
  readonly order: string;
  readonly by: Plan['by'];
  readonly runs: Runs;
  readonly bound?: string;
  readonly count?: string;
  readonly early?: string;
  readonly page: readonly string[];
}

export function explainPlan(
  { type }: Resource,
  { conditions, sort }: Pick<SearchQuery, 'conditions' | 'sort'>,
  plan: Plan,
): PlanDescription {
  return {
    type,
    conditions: conditions.map(named),
    order: sort.map(keyName).join(',') || 'id',
    by: plan.by,
    runs: plan.runs,
    ...described(plan),
  };
}

function described(plan: Plan): Pick<PlanDescription, 'bound' | 'count' | 'early' | 'page'> {
  switch (plan.by) {
    case 'early':
      return { page: ['the first rows in the order of the page, which had all of it'] };
    case 'collect':
      return {
        bound:
          plan.bound === 'type' ? 'few rows of the type' : `few rows meet ${named(plan.bound)}`,
        page: [pageText({ rows: plan.rows, order: 'sorted' })],
      };
    case 'page':
      return { page: [pageText(plan.page)] };
    case 'count': {
      const { rows, upTo, few, many, early } = plan;
      const most = upTo === null ? 'all' : `up to ${upTo}`;
      return {
        count: `${most} by ${scanText(rows)}`,
        ...(early ? { early: 'tried before' } : {}),
        page: few ? [`few: ${pageText(few)}`, `many: ${pageText(many)}`] : [pageText(many)],
      };
    }
  }
}

const keyName = ({ field, isDescending, from }: SortKey): string =>
  `${isDescending ? '-' : ''}${from ? 'distance' : field.name}`;

const pageText = ({ rows, order }: PageScan): string =>
  `${scanText(rows)}, ${order === 'met' ? 'in this order' : 'sorted'}`;

function scanText({ scan, by }: Scan): string {
  if (by.length > 0) return `${scan} scan (${by.map(named).join(', ')})`;
  return scan === 'index' ? 'full scan' : `${scan} scan`;
}
