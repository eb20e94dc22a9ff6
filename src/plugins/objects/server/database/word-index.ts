/** The index of words of a table that is kept for searches: tokens as `core/words.ts` makes them. */
import { raw, sql, type Sql } from './sql';

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
  /** The condition that the words of a row meet a query. @param alias of the row */
  meets(table: string, alias: string, query: string): Sql;
  /** The column of the table that holds the words, for an insert; null where they are in a table of their own. */
  readonly column: Sql | null;
  /** The statement that adds the words of rows. @param rows a `select` of their keys and texts; null where there is none */
  add(table: string, rows: Sql): Sql | null;
  /** The statement that drops the words of rows. @param keys a `select` */
  drop(table: string, keys: Sql): Sql | null;
  /** The statement that drops all words of a table. */
  clear(table: string): Sql | null;
}

/** The tokenizer takes ASCII symbols for separators: their fullwidth forms, which folding removes, stand for them. */
const withoutAsciiSymbols = (token: string): string =>
  /^[!-~]$/.test(token) && !/[a-z0-9]/.test(token)
    ? String.fromCodePoint(token.charCodeAt(0) + 0xfee0)
    : token;

/** An FTS5 table without a copy of the texts (https://www.sqlite.org/fts5.html#contentless_delete_tables). */
export const sqliteWords: WordIndex = {
  text: (tokens) => tokens.map(withoutAsciiSymbols).join(' '),
  query: (all) =>
    all
      .map((alternatives) => {
        const phrases = alternatives.map(
          ({ tokens, isWhole }) =>
            `"${tokens.map(withoutAsciiSymbols).join(' ')}"${isWhole ? '' : ' *'}`,
        );
        return `(${phrases.join(' OR ')})`;
      })
      .join(' AND '),
  meets: (table, alias, query) => {
    const words = raw(`${table}_words`);
    return sql`${raw(`${alias}.key`)} in (select f.rowid from ${words} f where f.${words} match ${query})`;
  },
  column: null,
  add: (table, rows) => sql`insert into ${raw(`${table}_words`)} (rowid, t) ${rows}`,
  drop: (table, keys) => sql`delete from ${raw(`${table}_words`)} where rowid in (${keys})`,
  clear: (table) =>
    sql`insert into ${raw(`${table}_words`)} (${raw(`${table}_words`)}) values ('delete-all')`,
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
  column: raw('words'),
  add: () => null,
  drop: () => null,
  clear: () => null,
};
