/** What a declaration says of the table in which the objects of a type are searched. */

/**
 * A table with what searches need of the objects of a type, a row for each audience: one for everybody of an object that
 * everybody sees as it is stored, else one for those who do, and one for strangers. It has the columns of these fields
 * under their own names, and `id` is the ID of the object's row. The table itself follows from this declaration, and is
 * made anew while the service runs when it has changed (`search/projection/versions`).
 */
export interface SearchTableDeclaration {
  /** Of the first version; later ones have a suffix. */
  readonly name: string;
  /**
   * Counted up where the rows of an object become others by what no declaration says: a function that generalizes a value,
   * or the text of which the words are.
   */
  readonly version: number;
  readonly fields: readonly string[];
  readonly indexes: readonly SearchIndexDeclaration[];
}

/** An index of the rows that strangers may find, and one of those for insiders alone. */
export interface SearchIndexDeclaration {
  readonly name: string;
  /** Fields, of a time its start, or columns that every such table has (`SEARCH_COLUMNS`), in the order of the index. */
  readonly by: readonly string[];
  /** What it has beside them, of a time its end: what is counted by it then needs no row of the table. */
  readonly beside?: readonly string[];
  /** Only what lasts longer than so many milliseconds, by the start of a time, which is true of few. */
  readonly lasting?: number;
}

/** The columns beside those of fields by which rows are found. */
export const SEARCH_COLUMNS = [
  'id',
  'document_id',
  'audience',
  'level',
  'sort_key',
  'cell',
] as const;

/** The same, completed, with the name that it has in the database. */
export interface SearchTable extends SearchTableDeclaration {
  /** The fields that an index begins with: it has the rows with a value, or within a span of time, together. */
  readonly indexed: readonly string[];
}
