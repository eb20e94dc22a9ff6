import type { Field, Resource } from '../declare/completed';
import type { ResourceDeclaration } from '../declare/declaration';
import type { SearchTable } from '../declare/search-table';
import { DeclarationError, TABLE_ERRORS } from '../declare/declaration-error';
import { checkTables, completeSearched } from './searched';

const FIELDS = new Map(
  Object.entries({ sex: ['sex'], time: ['time', 'time_start'], tags: [] }).map(
    ([name, columns]) => [name, { name, columns } as unknown as Field] as const,
  ),
);

const table = (rest: Partial<SearchTable> = {}): SearchTable => ({
  name: 'oms_search_things',
  version: 1,
  fields: ['sex', 'time'],
  indexes: [{ name: 'time', by: ['time', 'document_id'], beside: ['sex'] }],
  indexed: ['time'],
  ...rest,
});

const indexedBy = (name: string) => ({ indexes: [{ name: 'one', by: [name] }] });

const completed = (searched?: SearchTable): SearchTable | null =>
  completeSearched({ searched } as unknown as ResourceDeclaration, FIELDS, (code, at) => {
    throw new DeclarationError(code, `thing.${at}`);
  });

/** The type, with a database that has these columns. */
const checked = (columns: readonly string[]): Promise<void> => {
  const kept = { keptIn: [{ table: 'oms_search_things', key: 'id', columns: ['level', 'sex'] }] };
  const resource = { type: 'thing', fields: FIELDS, searched: table(), kept: [kept] };
  const resources = new Map([['thing', resource as unknown as Resource]]);
  return checkTables(resources, {
    columnsOf: () => Promise.resolve(new Set(columns)),
  });
};

describe('the table of searches', () => {
  test('is as it is declared, or there is none', () => {
    expect(completed(table())).toEqual(table());
    expect(completed()).toBeNull();
  });

  test.each([
    [{ fields: ['sexx'] }, /^FIELD_UNKNOWN: thing\.sexx: /],
    [indexedBy('tme'), /^FIELD_UNKNOWN: thing\.tme: /],
    [{ fields: ['tags'] }, /^SEARCHED_WITHOUT_COLUMN: thing\.tags: /],
    [{ fields: ['time'], ...indexedBy('sex') }, /^INDEX_NOT_SEARCHED: thing\.sex: /],
  ])('is refused with %j', (rest, error) => {
    expect(() => completed(table(rest))).toThrow(error);
  });

  test('has every column in the database', async () => {
    const columns = ['id', 'level', 'sex'];
    await expect(checked(columns)).resolves.toBeUndefined();
    for (const column of columns)
      await expect(checked(columns.filter((one) => one !== column))).rejects.toThrow(
        `COLUMN_MISSING: thing: oms_search_things.${column}: ${TABLE_ERRORS.COLUMN_MISSING}`,
      );
  });
});
