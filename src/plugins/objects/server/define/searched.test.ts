import type { Field, Resource } from '../declare/completed';
import type { ResourceDeclaration, SearchTable } from '../declare/declaration';
import { DeclarationError, TABLE_ERRORS } from '../declare/declaration-error';
import { checkTables, completeSearched } from './searched';

const FIELDS = new Map(
  Object.entries({ sex: ['sex'], time: ['time', 'time_start'], tags: [] }).map(
    ([name, columns]) => [name, { name, columns } as unknown as Field] as const,
  ),
);

const table = (rest: Partial<SearchTable> = {}): SearchTable => ({
  name: 'oms_search_things',
  fields: ['sex', 'time'],
  indexed: ['time'],
  ...rest,
});

const completed = (searched?: SearchTable): SearchTable | null =>
  completeSearched({ searched } as unknown as ResourceDeclaration, FIELDS, (code, at) => {
    throw new DeclarationError(code, `thing.${at}`);
  });

/** The type, with a database that has these columns and indexes. */
const checked = (columns: readonly string[], indexed: readonly string[]): Promise<void> => {
  const kept = { keptIn: [{ table: 'oms_search_things', key: 'id', columns: ['level', 'sex'] }] };
  const resource = { type: 'thing', fields: FIELDS, searched: table(), kept: [kept] };
  const resources = new Map([['thing', resource as unknown as Resource]]);
  return checkTables(resources, {
    columnsOf: () => Promise.resolve(new Set(columns)),
    indexedIn: () => Promise.resolve(new Set(indexed)),
  });
};

describe('the table of searches', () => {
  test('is as it is declared, or there is none', () => {
    expect(completed(table())).toEqual(table());
    expect(completed()).toBeNull();
  });

  test.each([
    [{ fields: ['sexx'] }, /^FIELD_UNKNOWN: thing\.sexx: /],
    [{ indexed: ['tme'] }, /^FIELD_UNKNOWN: thing\.tme: /],
    [{ fields: ['tags'] }, /^SEARCHED_WITHOUT_COLUMN: thing\.tags: /],
    [{ fields: ['time'], indexed: ['sex'] }, /^INDEX_NOT_SEARCHED: thing\.sex: /],
  ])('is refused with %j', (rest, error) => {
    expect(() => completed(table(rest))).toThrow(error);
  });

  test('has every column and index in the database', async () => {
    const columns = ['id', 'level', 'sex'];
    await expect(checked(columns, ['time_start'])).resolves.toBeUndefined();
    await expect(checked(columns, ['sex'])).rejects.toThrow(
      `SEARCH_INDEX_MISSING: thing: oms_search_things.time,time_start: ${TABLE_ERRORS.SEARCH_INDEX_MISSING}`,
    );
    for (const column of columns)
      await expect(
        checked(
          columns.filter((one) => one !== column),
          ['time'],
        ),
      ).rejects.toThrow(
        `COLUMN_MISSING: thing: oms_search_things.${column}: ${TABLE_ERRORS.COLUMN_MISSING}`,
      );
  });
});
