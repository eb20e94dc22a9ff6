/** The index of words of a table that is kept for searches: tokens as `core/words.ts` makes them. */
import { insertEach } from './insert-rows';
import { raw, sql, type Sql, type SqlValue, type Statement } from './sql';

/** A phrase; the last token may be the beginning of a longer one, unless it is said to be whole. */
export interface Phrase {
  readonly tokens: readonly string[];
  readonly isWhole?: boolean;
}

/** Phrases one of which has to occur. */
export type Alternatives = readonly Phrase[];

export interface WordIndex {
  /** The tokens of a text in the form in which the index takes them. */
  text(tokens: readonly string[]): string;
  /** A query: one of each of the alternatives occurs. */
  query(all: readonly Alternatives[]): string;
  /** The condition that the words of a row meet a query, by the index. @param alias of the row */
  meets(table: string, alias: string, query: string): Sql;
  /**
   * The condition that the words of a row have a phrase, without the index: for rows that are looked at anyway. The last
   * token may be the beginning of a longer one. Null where `meets` costs no more.
   */
  readonly has: ((alias: string, tokens: readonly string[]) => Sql) | null;
  /** The type of the column `words`, in which a row has its words as a text. */
  readonly type: 'text' | 'tsvector';
  /** The statement that adds rows to the index; null where the table does it. @param rows the end of a `select` of the table */
  add(table: string, rows: Sql): Sql | null;
  /** The statements that do so for new rows, best in the order of their keys. @param rows their keys and texts */
  addRows(table: string, rows: readonly (readonly SqlValue[])[]): readonly Statement[];
  /** The statement that drops rows from the index, before their words change. @param rows the end of a `select` of the table */
  drop(table: string, rows: Sql): Sql | null;
  /**
   * The words of a row with another token in place of one.
   *
   * @param column with the words
   * @param token the present one; null as a value where there is none
   * @param other null as a value where there is none in its place
   */
  replaced(column: Sql, token: Sql, other: Sql): Sql;
  /** The statement that makes the whole index anew of what the rows have; null where the table does it. */
  readonly rebuild: ((table: string) => Sql) | null;
  /** How an index that was written in many parts is made one; null where it needs none of this. */
  readonly merge: WordMerge | null;
  /** How rows are met one after the other; null where the index finds them all at once. */
  readonly stream: WordStream | null;
}

/** Each part of an index costs a search as much as another index would. */
export interface WordMerge {
  /** The statement that chooses the parts. */
  start(table: string): Sql;
  /** The statement that merges some pages. */
  step(table: string): Sql;
  /** A `select` of a number that a step has changed if it has had something to do. */
  readonly changes: Sql;
}

/** Pages of one step: some 20 ms. */
const MERGED_PAGES = 64;

/** Rows in the order of their keys, as the index finds their words. It does so for whole tokens alone. */
export interface WordStream {
  /** A `select` of the tokens of a table that begin so, of these at most. */
  completions(table: string, beginning: string, most: number): Sql;
  /** What is selected from, before the row. */
  from(table: string): Sql;
  /** The key of the row that is met. */
  readonly key: Sql;
  /** The condition that words meet a query. */
  meets(table: string, query: string): Sql;
}

/** The tokenizer takes ASCII symbols for separators: their fullwidth forms, which folding removes, stand for them. */
const withoutAsciiSymbols = (token: string): string =>
  /^[!-~]$/.test(token) && !/[a-z0-9]/.test(token)
    ? String.fromCodePoint(token.charCodeAt(0) + 0xfee0)
    : token;

const merge = (table: string, pages: number): Sql =>
  sql`insert into ${raw(`${table}_words (${table}_words, rank)`)} values ('merge', ${pages})`;

const sqliteText = (tokens: readonly string[]): string => tokens.map(withoutAsciiSymbols).join(' ');

/** An FTS5 table whose texts are in the table itself (https://www.sqlite.org/fts5.html#external_content_tables). */
export const sqliteWords: WordIndex = {
  text: sqliteText,
  query: (all) =>
    all
      .map((alternatives) => {
        const phrases = alternatives.map(
          ({ tokens, isWhole }) => `"${sqliteText(tokens)}"${isWhole ? '' : ' *'}`,
        );
        return `(${phrases.join(' OR ')})`;
      })
      .join(' AND '),
  meets: (table, alias, query) => {
    const words = raw(`${table}_words`);
    return sql`${raw(`${alias}.key`)} in (select f.rowid from ${words} f where f.${words} match ${query})`;
  },
  // A look-up in the index takes some 10 µs.
  has: (alias, tokens) => sql`instr(' ' || ${raw(alias)}.words, ${` ${sqliteText(tokens)}`}) > 0`,
  type: 'text',
  add: (table, rows) =>
    sql`insert into ${raw(`${table}_words`)} (rowid, words) select key, words
      ${rows} and words is not null order by key`,
  addRows: (table, rows) => insertEach(`${table}_words (rowid, words)`, rows),
  drop: (table, rows) =>
    sql`insert into ${raw(`${table}_words (${table}_words, rowid, words)`)}
      select 'delete', key, words ${rows} and words is not null order by key`,
  replaced: (column, token, other) =>
    sql`case when ${token} is null then trim(coalesce(${other}, '') || ' ' || ${column})
      else trim(replace(' ' || ${column} || ' ', ' ' || ${token} || ' ', coalesce(' ' || ${other}, '') || ' ')) end`,
  rebuild: (table) => sql`insert into ${raw(`${table}_words (${table}_words)`)} values ('rebuild')`,
  // https://www.sqlite.org/fts5.html#the_merge_command
  merge: {
    start: (table) => merge(table, -16),
    step: (table) => merge(table, MERGED_PAGES),
    changes: raw('select total_changes()'),
  },
  stream: {
    // Each token is found by a step of its own: the vocabulary reads all rows of a token before it comes to the next.
    completions(table, beginning, most) {
      const terms = raw(`${table}_terms`);
      const first = withoutAsciiSymbols(beginning);
      const next = sql`(select v.term from ${terms} v
        where v.term >= c.token || char(1) and v.term < ${first} || char(1114111) limit 1)`;
      return sql`with recursive c(token) as (
          select * from (select v.term from ${terms} v
            where v.term >= ${first} and v.term < ${first} || char(1114111) limit 1)
          union all select ${next} from c where c.token is not null limit ${raw(String(most + 1))})
        select c.token from c where c.token is not null limit ${raw(String(most))}`;
    },
    from: (table) => raw(`${table}_words f`),
    key: raw('f.rowid'),
    meets: (table, query) => sql`f.${raw(`${table}_words`)} match ${query}`,
  },
};

/** The largest position, and the most positions of one lexeme, that PostgreSQL keeps. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS = 255;

/** A `tsvector` of our own tokens: the parser of PostgreSQL depends on the locale, and drops symbols. */
export const postgresWords: WordIndex = {
  text(tokens) {
    const positions = new Map<string, number[]>();
    for (const [at, token] of tokens.slice(0, MAX_POSITION).entries()) {
      const known = positions.get(token);
      if (!known) positions.set(token, [at + 1]);
      else if (known.length < MAX_POSITIONS) known.push(at + 1);
    }
    return [...positions].map(([token, at]) => `'${token}':${at.join()}`).join(' ');
  },
  query: (all) =>
    all
      .map((alternatives) => {
        const phrases = alternatives.map(({ tokens, isWhole }) => {
          const last = tokens.length - 1;
          const parts = tokens.map((token, at) =>
            at === last && !isWhole ? `'${token}':*` : `'${token}'`,
          );
          return parts.length > 1 ? `(${parts.join(' <-> ')})` : (parts[0] ?? '');
        });
        return `(${phrases.join(' | ')})`;
      })
      .join(' & '),
  meets: (_, alias, query) => sql`${raw(`${alias}.words`)} @@ ${query}::tsquery`,
  has: null,
  type: 'tsvector',
  add: () => null,
  addRows: () => [],
  drop: () => null,
  // As a text each token is in quotes, with its positions behind a colon.
  replaced: (column, token, other) =>
    sql`case when ${token} is null
        then case when ${other} is null then ${column} else ('''' || ${other} || ''':1')::tsvector || ${column} end
      when ${other} is null then ts_delete(${column}, ${token})
      else replace(cast(${column} as text), '''' || ${token} || ''':', '''' || ${other} || ''':')::tsvector end`,
  rebuild: null,
  merge: null,
  stream: null,
};
