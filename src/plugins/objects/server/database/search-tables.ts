/** Tables that are made for searches, on either database: their columns, indexes and words, as statements. */
import { raw, sql, type Sql } from './sql';

/** The types of their columns. */
export type SearchColumnType =
  | 'key'
  | 'integer'
  | 'smallint'
  | 'bigint'
  | 'double precision'
  | 'boolean'
  | 'instant'
  | 'id'
  | 'text'
  | 'plain text'
  | 'words';

export interface SearchColumn {
  readonly name: string;
  readonly type: SearchColumnType;
  readonly isNeeded?: true;
}

export interface SearchIndex {
  /** Behind the name of the table. */
  readonly name: string;
  readonly columns: readonly string[];
  /** What it has beside them, so that what is counted needs no row of the table. */
  readonly beside: readonly string[];
  /** Of few rows of the table: it is the best one wherever it can be used. */
  readonly isOfFew?: true;
  /** The condition of the rows that it has; null for all. */
  readonly where: string | null;
}

/** A table with a column `key`, by which its index of words finds the rows. */
export interface SearchTableShape {
  readonly name: string;
  readonly columns: readonly SearchColumn[];
  readonly indexes: readonly SearchIndex[];
}

export interface SearchTables {
  /** The statements that make a table with all that belongs to it. */
  make(shape: SearchTableShape): readonly Sql[];
  /** The statements that remove it. */
  drop(name: string): readonly Sql[];
  /**
   * Where it takes long to remove a large table at once: selects the name of an index that can be removed before, while there is
   * one. Writers go on to find the rows of an object. Null elsewhere.
   */
  readonly spareIndex: ((name: string) => Sql) | null;
  /** Selects a row if there is a table of this name. */
  find(name: string): Sql;
  /** Selects what a table consists of, a text for each part, in the same order for tables that are the same. */
  parts(name: string): Sql;
  /**
   * Renames a table; its indexes keep their names. Once this has committed, statements with the former name fail. Null where
   * there is only one process.
   */
  readonly rename: ((name: string, other: string) => Sql) | null;
}

const columnsOf = (
  { columns }: SearchTableShape,
  types: Readonly<Record<SearchColumnType, string>>,
): string =>
  columns
    .map(({ name, type, isNeeded }) => `${name} ${types[type]}${isNeeded ? ' not null' : ''}`)
    .join(', ');

const indexStatement = (table: string, { name, where }: SearchIndex, columns: string): Sql =>
  raw(`create index ${table}_${name}_ix on ${table} ${columns}${where ? ` where ${where}` : ''}`);

const SQLITE_TYPES: Readonly<Record<SearchColumnType, string>> = {
  key: 'integer primary key',
  integer: 'integer',
  smallint: 'smallint',
  bigint: 'bigint',
  'double precision': 'double precision',
  boolean: 'boolean',
  instant: 'datetime',
  id: 'varchar(36)',
  text: 'text',
  'plain text': 'text',
  words: 'text',
};

/** The texts of rows with their marks: a view has no table-valued functions where it is read for an index. */
const textsOf = (table: string): string =>
  `create view ${table}_texts as select key, case when marks is null then words else (
      with recursive m(place, mark) as (select 0, marks ->> 0 union all
        select place + 1, marks ->> (place + 1) from m where place + 1 < json_array_length(marks))
      select group_concat(m.mark || replace(words, ' ', ' ' || m.mark), ' ' order by m.place) from m
      ) end as words from ${table}`;

export const sqliteSearchTables: SearchTables = {
  make: (shape) => {
    const { name: table } = shape;
    return [
      raw(`create table ${table} (${columnsOf(shape, SQLITE_TYPES)})`),
      ...shape.indexes.map((index) => {
        // Of the indexes that can be used, SQLite takes the one with the smallest entries.
        const beside = index.isOfFew ? [] : index.beside;
        return indexStatement(table, index, `(${[...index.columns, ...beside].join(', ')})`);
      }),
      raw(textsOf(table)),
      raw(`create virtual table ${table}_words using fts5(
      words, content='${table}_texts', content_rowid='key', columnsize=0, tokenize='ascii')`),
      raw(`create virtual table ${table}_terms using fts5vocab(${table}_words, instance)`),
    ];
  },
  drop: (table) => [
    raw(`drop table if exists ${table}_terms`),
    raw(`drop table if exists ${table}_words`),
    raw(`drop view if exists ${table}_texts`),
    raw(`drop table if exists ${table}`),
  ],
  spareIndex: (table) => sql`select name from sqlite_master
    where type = 'index' and tbl_name = ${table} and name <> ${`${table}_id_ix`} limit 1`,
  find: (table) => sql`select 1 from sqlite_master where type = 'table' and name = ${table}`,
  parts: (
    table,
  ) => sql`select 'column ' || name || ' ' || lower(type) || ' ' || "notnull" || ' ' || pk as part
      from pragma_table_info(${table})
    union all select type || ' ' || replace(replace(replace(replace(lower(sql), 'if not exists ', ''), ${table}, 'T'), char(10), ''), ' ', '')
      from sqlite_master where sql is not null and (type = 'index' and tbl_name = ${table}
        or name in (${table} || '_texts', ${table} || '_words', ${table} || '_terms'))
    order by part`,
  rename: null,
};

const POSTGRES_TYPES: Readonly<Record<SearchColumnType, string>> = {
  key: 'bigint primary key',
  integer: 'integer',
  smallint: 'smallint',
  bigint: 'bigint',
  'double precision': 'double precision',
  boolean: 'boolean',
  instant: 'timestamp(6)',
  id: 'varchar(36)',
  text: 'text collate "C"',
  'plain text': 'text',
  words: 'tsvector',
};

export const postgresSearchTables: SearchTables = {
  make: (shape) => {
    const { name: table } = shape;
    return [
      raw(`create table ${table} (${columnsOf(shape, POSTGRES_TYPES)})`),
      ...shape.indexes.map((index) =>
        indexStatement(
          table,
          index,
          index.beside.length === 0
            ? `(${index.columns.join(', ')})`
            : `(${index.columns.join(', ')}) include (${index.beside.join(', ')})`,
        ),
      ),
      raw(`create index ${table}_words_ix on ${table} using gin (words)`),
    ];
  },
  drop: (table) => [raw(`drop table if exists ${table}`)],
  spareIndex: null,
  find: (table) =>
    sql`select 1 from pg_class where relname = ${table} and relkind = 'r'
      and relnamespace = cast(current_schema() as regnamespace)`,
  parts: (table) => sql`select part from (
      select 'column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || cast(a.attnotnull as text)
          || ' ' || cast(a.attcollation as text) as part
        from pg_attribute a where a.attrelid = cast(${table} as regclass) and a.attnum > 0 and not a.attisdropped
      union all select replace(pg_get_indexdef(i.indexrelid), ${table}, 'T')
        from pg_index i where i.indrelid = cast(${table} as regclass)) p
    order by part collate "C"`,
  rename: (table, other) => raw(`alter table ${table} rename to ${other}`),
};
