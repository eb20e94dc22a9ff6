/**
 * The index of words of a table that is kept for searches: tokens as `core/words.ts` makes them. Rows may have marks, a
 * JSON list of texts in the column `marks`: such a row has each of its tokens once for each mark, behind it, and none
 * without.
 */
import { insertEach } from './insert-rows';
import { raw, sql, type Sql, type SqlValue, type Statement } from './sql';

/** What a condition reads that is met by the index of words (`Sql.reads`): how many rows have a word decides over the plan. */
export const WORD_INDEX = 'words';

/** A phrase; the last token may be the beginning of a longer one, unless it is said to be whole. */
export interface Phrase {
  readonly tokens: readonly string[];
  readonly isWhole?: boolean;
  /** Before each of the tokens. */
  readonly mark?: string;
}

/** Phrases one of which has to occur. */
export type Alternatives = readonly Phrase[];

/** A row that is added to an index. */
export interface WordRow {
  readonly key: SqlValue;
  /** As `text` gives it. */
  readonly words: string | null;
  readonly marks: readonly string[] | null;
}

export interface WordIndex {
  /** The tokens of a text in the form in which the column `words` takes them. */
  text(tokens: readonly string[], marks: readonly string[] | null): string;
  /** A query: one of each of the alternatives occurs. */
  query(all: readonly Alternatives[]): string;
  /** The condition that the words of a row meet a query, by the index. @param alias of the row */
  meets(table: string, alias: string, query: string): Sql;
  /**
   * The same by the index of a query for each mark.
   *
   * @param place what stands for a mark in the query
   * @param marks a `select` of them as `mark`
   */
  meetsMarked(table: string, alias: string, query: string, place: string, marks: Sql): Sql;
  /**
   * The condition that the words of a row have a phrase, without the index: for rows that are looked at anyway. The last
   * token may be the beginning of a longer one. Null where `meets` costs no more.
   */
  readonly has: ((alias: string, tokens: readonly string[]) => Sql) | null;
  /** The type of the column `words`, in which a row has its words as a text. */
  readonly type: 'text' | 'tsvector';
  /** The statement that adds rows to the index; null where the table does it. @param rows the end of a `select` of the table */
  add(table: WordTable, rows: Sql): Sql | null;
  /** The statements that do so for new rows, best in the order of their keys. */
  addRows(table: string, rows: readonly WordRow[]): readonly Statement[];
  /** The statement that drops rows from the index, before their words change. @param rows the end of a `select` of the table */
  drop(table: WordTable, rows: Sql): Sql | null;
  /**
   * The words of a row with another token in place of one.
   *
   * @param column with the words
   * @param marks the column with the marks
   * @param token the present one; null as a value where there is none
   * @param other null as a value where there is none in its place
   */
  replaced(column: Sql, marks: Sql, token: Sql, other: Sql): Sql;
  /** The statement that makes the whole index anew of what the rows have; null where the table does it. */
  readonly rebuild: ((table: string) => Sql) | null;
  /** How an index that was written in many parts is made one; null where it needs none of this. */
  readonly merge: WordMerge | null;
  /** How rows are met one after the other; null where the index finds them all at once. */
  readonly stream: WordStream | null;
}

export interface WordTable {
  readonly name: string;
  /** Whether its rows may have marks. */
  readonly isMarked: boolean;
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
  /**
   * A `select` of the tokens of a table that begin so, of these at most, with their marks.
   *
   * @param marks a `select` of those that they may have, empty for none
   */
  completions(table: string, beginning: string, marks: Sql, most: number): Sql;
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

const sqliteText = (tokens: readonly string[], mark = ''): string =>
  tokens.map((token) => mark + withoutAsciiSymbols(token)).join(' ');

/** The text that the index has of a row, once for each mark. */
const indexedText = (words: string, marks: readonly string[]): string =>
  marks.map((mark) => mark + words.replaceAll(' ', ` ${mark}`)).join(' ');

/** Where the index finds the texts of rows: with their marks in a view (`database/migrations/0028-marked-words.ts`). */
const textsIn = ({ name, isMarked }: WordTable): Sql => raw(`${name}${isMarked ? '_texts' : ''} t`);

/** The keys and texts of rows, in the order of their keys. @param rows the end of a `select` of the table */
const ofRows = (table: WordTable, rows: Sql): Sql =>
  sql`from ${textsIn(table)} where t.key in (select key ${rows} and words is not null) order by t.key`;

/** An FTS5 table whose texts are in the table itself, or a view of it (https://www.sqlite.org/fts5.html#external_content_tables). */
export const sqliteWords: WordIndex = {
  text: (tokens) => sqliteText(tokens),
  query: (all) =>
    all
      .map((alternatives) => {
        const phrases = alternatives.map(
          ({ tokens, isWhole, mark }) => `"${sqliteText(tokens, mark)}"${isWhole ? '' : ' *'}`,
        );
        return `(${phrases.join(' OR ')})`;
      })
      .join(' AND '),
  meets: (table, alias, query) => {
    const words = raw(`${table}_words`);
    return sql`${raw(`${alias}.key`)} in (select f.rowid from ${words} f where f.${words} match ${query})`;
  },
  meetsMarked(table, alias, query, place, marks) {
    const words = raw(`${table}_words`);
    return sql`${raw(`${alias}.key`)} in (select f.rowid from (${marks}) m cross join ${words} f
      where f.${words} match replace(${query}, ${place}, m.mark))`;
  },
  // A look-up in the index takes some 10 µs.
  has: (alias, tokens) => sql`instr(' ' || ${raw(alias)}.words, ${` ${sqliteText(tokens)}`}) > 0`,
  type: 'text',
  add: (table, rows) =>
    sql`insert into ${raw(`${table.name}_words`)} (rowid, words) select t.key, t.words ${ofRows(table, rows)}`,
  addRows: (table, rows) =>
    insertEach(
      `${table}_words (rowid, words)`,
      rows.map(({ key, words, marks }) => [
        key,
        words !== null && marks ? indexedText(words, marks) : words,
      ]),
    ),
  drop: (table, rows) =>
    sql`insert into ${raw(`${table.name}_words (${table.name}_words, rowid, words)`)}
      select 'delete', t.key, t.words ${ofRows(table, rows)}`,
  replaced: (column, _, token, other) =>
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
    completions(table, beginning, marks, most) {
      const terms = raw(`${table}_terms`);
      const first = withoutAsciiSymbols(beginning);
      const after = (from: Sql, start: Sql): Sql => sql`(select v.term from ${terms} v
        where v.term >= ${from} and v.term < ${start} || char(1114111) limit 1)`;
      // The last one of each mark is none.
      return sql`with recursive c(start, token) as (
          select b.start, ${after(raw('b.start'), raw('b.start'))}
            from (select m.mark || ${first} as start from (${marks}) m) b
          union all select c.start, ${after(raw('c.token || char(1)'), raw('c.start'))}
            from c where c.token is not null limit ${raw(String(2 * most))})
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

/** A list of marks of a row, one without text where it has none. */
const marksIn = (marks: Sql): Sql =>
  sql`jsonb_array_elements_text(coalesce(${marks}, '[""]')::jsonb) m(mark)`;

/** A `tsvector` of our own tokens: the parser of PostgreSQL depends on the locale, and drops symbols. */
export const postgresWords: WordIndex = {
  text(tokens, marks) {
    const positions = new Map<string, number[]>();
    for (const [at, token] of tokens.slice(0, MAX_POSITION).entries()) {
      const known = positions.get(token);
      if (!known) positions.set(token, [at + 1]);
      else if (known.length < MAX_POSITIONS) known.push(at + 1);
    }
    // All tokens of a mark are in the places that they have without it.
    return (marks ?? [''])
      .flatMap((mark) => [...positions].map(([token, at]) => `'${mark}${token}':${at.join()}`))
      .join(' ');
  },
  query: (all) =>
    all
      .map((alternatives) => {
        const phrases = alternatives.map(({ tokens, isWhole, mark = '' }) => {
          const last = tokens.length - 1;
          const parts = tokens.map((token, at) =>
            at === last && !isWhole ? `'${mark}${token}':*` : `'${mark}${token}'`,
          );
          return parts.length > 1 ? `(${parts.join(' <-> ')})` : (parts[0] ?? '');
        });
        return `(${phrases.join(' | ')})`;
      })
      .join(' & '),
  meets: (_, alias, query) => sql`${raw(`${alias}.words`)} @@ ${query}::tsquery`,
  meetsMarked: (table, alias, query, place, marks) =>
    sql`${raw(`${alias}.key`)} in (select w.key from (${marks}) m cross join lateral (
      select t.key from ${raw(`${table} t`)}
        where t.words @@ replace(${query}, ${place}, m.mark)::tsquery offset 0) w)`,
  has: null,
  type: 'tsvector',
  add: () => null,
  addRows: () => [],
  drop: () => null,
  // As a text each token is in quotes, with its positions behind a colon. No other one ends as that of a reference.
  replaced: (column, marks, token, other) =>
    sql`case when ${token} is null
        then case when ${other} is null then ${column}
          else (select string_agg('''' || m.mark || ${other} || ''':1', ' ') from ${marksIn(marks)})::tsvector || ${column} end
      when ${other} is null then ts_delete(${column}, array(select m.mark || ${token} from ${marksIn(marks)}))
      else replace(cast(${column} as text), ${token} || ''':', ${other} || ''':')::tsvector end`,
  rebuild: null,
  merge: null,
  stream: null,
};
