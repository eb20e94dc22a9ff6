/** The table of a projection, as it follows from its declaration. */
import type { SearchColumn, SearchIndex, SearchTableShape } from '../../../database/search-tables';
import type { Resource } from '../../../declare/completed';
import {
  SEARCH_COLUMNS,
  type SearchIndexDeclaration,
  type SearchTable,
} from '../../../declare/search-table';
import { searchColumnsOf } from '../../../kinds/search-columns';
import { isSpan } from '../../../kinds/traits';
import { AUDIENCE } from '../keys';

const HEAD: readonly SearchColumn[] = [
  { name: 'key', type: 'key' },
  { name: 'id', type: 'integer', isNeeded: true },
  { name: 'document_id', type: 'id', isNeeded: true },
  { name: 'audience', type: 'smallint', isNeeded: true },
  { name: 'level', type: 'smallint', isNeeded: true },
];

const REST: readonly SearchColumn[] = [
  { name: 'sort_key', type: 'text' },
  { name: 'cell', type: 'bigint' },
  { name: 'words', type: 'words' },
  { name: 'marks', type: 'plain text' },
];

/** As the conditions of searches say it: SQLite compares the text (`conditions/partitions.ts`). */
const PARTITIONS = {
  told: `audience < ${AUDIENCE.insiders}`,
  inside: `audience >= ${AUDIENCE.insiders}`,
};

const isOwn = (name: string): boolean => (SEARCH_COLUMNS as readonly string[]).includes(name);

/** @param table with the name that it has in the database */
export function tableShape(resource: Resource, table: SearchTable): SearchTableShape {
  const fields = table.fields.flatMap((name) => resource.fields.get(name) ?? []);
  return {
    name: table.name,
    columns: [...HEAD, ...fields.flatMap(searchColumnsOf), ...REST],
    indexes: [
      // By which the rows of an object are changed, and those of insiders are met one by one.
      { name: 'id', columns: ['id', 'audience'], beside: [], where: null },
      ...table.indexes.flatMap((index) => pairOf(resource, index)),
    ],
  };
}

function pairOf(
  resource: Resource,
  { name, by, beside = [], lasting }: SearchIndexDeclaration,
): SearchIndex[] {
  /** @param ofSpan which column of a time: its text, its start, its end */
  const columnOf = (one: string, ofSpan: 1 | 2): string => {
    const field = isOwn(one) ? undefined : resource.fields.get(one);
    if (!field) return one;
    return (isSpan(field) ? field.columns[ofSpan] : field.columns[0]) ?? one;
  };
  const long = lasting === undefined ? '' : `${durationOf(resource, by)} > ${lasting} and `;
  return Object.entries(PARTITIONS).map(([partition, condition]) => ({
    name: `${name}_${partition}`,
    columns: by.map((one) => columnOf(one, 1)),
    beside: beside.map((one) => columnOf(one, 2)),
    ...(lasting === undefined ? {} : { isOfFew: true }),
    where: `${long}${condition}`,
  }));
}

function durationOf({ fields }: Resource, [name = '']: readonly string[]): string {
  const [, start, end] = fields.get(name)?.columns ?? [];
  return `${end} - ${start}`;
}
