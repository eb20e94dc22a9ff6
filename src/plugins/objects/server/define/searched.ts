/** The table in which the objects of a type are searched: what is declared of it, against the fields and the database. */
import type { Field, Resource, Resources, Suggested } from '../declare/completed';
import { type ResourceDeclaration } from '../declare/declaration';
import {
  SEARCH_COLUMNS,
  type SearchIndexDeclaration,
  type SearchTable,
} from '../declare/search-table';
import { DeclarationError, type DeclarationErrorCode } from '../declare/declaration-error';
import { isForEverybody } from '../declare/row';
import { otherViews, type Views } from '../declare/views';
import { isReference } from '../kinds/traits';

type Wrong = (code: DeclarationErrorCode, at?: string) => never;

/** @throws DeclarationError for a name that is none of a field with a column of its own */
export function completeSearched(
  { searched }: ResourceDeclaration,
  fields: ReadonlyMap<string, Field>,
  wrong: Wrong,
): SearchTable | null {
  if (!searched) return null;
  const used = searched.indexes.flatMap(({ by, beside = [] }) => [...by, ...beside]);
  const named = used.filter((name) => !isOwnColumn(name));
  for (const name of [...searched.fields, ...named]) {
    const field = fields.get(name);
    if (!field) wrong('FIELD_UNKNOWN', name);
    else if (field.columns.length === 0) wrong('SEARCHED_WITHOUT_COLUMN', name);
  }
  for (const name of named) if (!searched.fields.includes(name)) wrong('INDEX_NOT_SEARCHED', name);
  return { ...searched, indexed: indexedFields(searched.indexes) };
}

const isOwnColumn = (name: string): boolean => (SEARCH_COLUMNS as readonly string[]).includes(name);

/** The fields whose values an index has together, all of them. */
export const indexedFields = (indexes: readonly SearchIndexDeclaration[]): string[] =>
  indexes.flatMap(firstField);

const firstField = ({ by: [first = ''], lasting }: SearchIndexDeclaration): string[] =>
  lasting !== undefined || isOwnColumn(first) ? [] : [first];

/** @throws DeclarationError unless each name is a field with words, and each name beside it a reference to one object */
export function completeSuggested(
  { suggested }: ResourceDeclaration,
  fields: ReadonlyMap<string, Field>,
  views: Views | null,
  wrong: Wrong,
): Suggested | null {
  if (!suggested) return null;
  const fieldsOf = (names: readonly string[], isRight: (field: Field) => boolean): Field[] =>
    names.map((name) => {
      const field = fields.get(name) ?? wrong('FIELD_UNKNOWN', name);
      const isForAll = isForEverybody(field.seen) && otherViews(field, views).length === 0;
      return isRight(field) && isForAll ? field : wrong('SUGGESTED_HIDDEN', name);
    });
  const { names, beside = [] } = suggested;
  return {
    names: fieldsOf(names, (field) => field.words && !isReference(field)),
    beside: fieldsOf(beside, isReference),
  };
}

/** What there is in the database, by the name of a table. */
export interface Tables {
  columnsOf(table: string): Promise<ReadonlySet<string>>;
}

/**
 * Compares the tables of what is kept for reading with the declarations: without a column that a migration has
 * forgotten, every change of an object would fail.
 *
 * @throws DeclarationError for the first column that is not there
 */
export async function checkTables(resources: Resources, tables: Tables): Promise<void> {
  for (const resource of resources.values()) {
    for (const { table, key, columns } of resource.kept.flatMap(({ keptIn }) => keptIn)) {
      const there = await tables.columnsOf(table);
      for (const column of [key, ...columns])
        if (!there.has(column)) throw missing('COLUMN_MISSING', resource, `${table}.${column}`);
    }
  }
}

const missing = (code: DeclarationErrorCode, { type }: Resource, what: string): DeclarationError =>
  new DeclarationError(code, `${type}: ${what}`);
