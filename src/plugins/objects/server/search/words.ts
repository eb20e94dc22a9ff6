/** Finds objects by words: of their own texts as far as the caller sees them, and of what they refer to. */
import type { Alternatives } from '../database/word-index';
import { anyOf, NEVER, raw, sql, type Sql } from '../database/sql';
import type { Field } from '../define/completed';
import { OBJECTS } from './parts';
import type { WordsCondition } from './condition';
import { MAX_LISTED } from './limits';
import type { Question } from './questions';
import { allOf, type Source } from './source';
import { namingFields, referenceToken, wordParts } from './texts';

type Word = readonly string[];

/** The objects of one name whose tokens are put into one query. */
const MAX_NAMED = 500;

/** The tokens with which one word is completed: the index follows the rows of each of them. */
const MAX_COMPLETIONS = 64;

/** The tokens that may be looked for in one row after the other, and not in all rows at once. */
const MAX_LOOKED_UP = 8;

const nameKey = (at: number, field: Field): string => `${at} ${field.name}`;

/** The fields by whose names the caller finds: whoever may not read all objects of a type learns nothing of their names. */
const namesFor = ({ resource, accessTo }: Source): Field[] =>
  namingFields(resource).filter(({ to }) => to !== null && accessTo(to)?.extent('read') === 'all');

/** The rows `k` of the objects of a type that have a word in a part. */
function havingWord({ dialect: { words } }: Source, type: string, part: number, word: Word): Sql {
  const query = words.query([[{ tokens: word }]]);
  const ofPart = sql`k.type = ${type} and k.part = ${raw(String(part))}`;
  const table = raw(`${OBJECTS} k`);
  // By their words: there are many rows of a type.
  return words.stream
    ? sql`from ${words.stream.from(OBJECTS)} cross join ${table}
        where ${words.stream.meets(OBJECTS, query)} and k.key = ${words.stream.key} and ${ofPart}`
    : sql`from ${table} where ${words.meets(OBJECTS, 'k', query)} and ${ofPart}`;
}

/** The part of an object whose words everybody sees. */
const PUBLIC = 0;

/**
 * What the words stand for in a table with tokens of what its objects refer to: which objects have them in their names,
 * and, where rows are met by whole tokens alone, which tokens begin so.
 */
export function meaningOf(source: Source, condition: WordsCondition): Question<WordsCondition> {
  const { words } = condition;
  if (!source.resource.searched) return { selects: [], read: () => condition };
  const fields = namesFor(source);
  const { stream } = source.dialect.words;
  const named = words.flatMap((word, at) =>
    fields.map((field) => ({ word, field, key: nameKey(at, field) })),
  );
  const completed = stream
    ? words.map((word, at) => ({
        at,
        tokens: stream.completions(source.table, word.at(-1) ?? '', MAX_COMPLETIONS + 1),
      }))
    : [];
  return {
    selects: [
      ...named.map(
        ({ word, field, key }) => sql`select ${key} as name, p.id as found from (
          select k.id ${havingWord(source, field.to ?? '', PUBLIC, word)} limit ${raw(String(MAX_NAMED + 1))}) p`,
      ),
      ...completed.map(
        ({ at, tokens }) => sql`select ${String(at)} as name, t.token as found from (${tokens}) t`,
      ),
    ],
    read(answers) {
      const upTo = <T>(most: number, all: readonly T[]): readonly T[] | 'many' =>
        all.length > most ? 'many' : all;
      return {
        ...condition,
        named: new Map(
          named.map(
            ({ key }) => [key, upTo(MAX_NAMED, (answers.get(key) ?? []).map(Number))] as const,
          ),
        ),
        ...(stream
          ? {
              completed: new Map(
                completed.map(
                  ({ at }) =>
                    [
                      at,
                      upTo(MAX_COMPLETIONS, (answers.get(String(at)) ?? []).map(String)),
                    ] as const,
                ),
              ),
            }
          : {}),
      };
    },
  };
}

/** Words as a query of the index of a table with the words of each audience. */
interface Query {
  /** What has to occur. */
  readonly all: readonly Alternatives[];
  /** Words that very many names have: each is a condition of its own. */
  readonly apart: readonly Sql[];
}

function queryOf(source: Source, { words, named, completed }: WordsCondition): Query {
  const { dialect, table, alias } = source;
  const fields = namesFor(source);
  const all: Alternatives[] = [];
  const apart: Sql[] = [];
  for (const [at, word] of words.entries()) {
    const tokens = completed?.get(at) ?? 'many';
    const own: Alternatives =
      tokens === 'many'
        ? [{ tokens: word }]
        : tokens.map((token) => ({ tokens: [...word.slice(0, -1), token], isWhole: true }));
    const found = fields.map((field) => [field, named?.get(nameKey(at, field)) ?? []] as const);
    const references = found.flatMap(([field, ids]) =>
      ids === 'many'
        ? []
        : ids.map((id) => ({ tokens: [referenceToken(field.name, id)], isWhole: true })),
    );
    const many = found.filter(([, ids]) => ids === 'many').map(([field]) => field);
    const alternatives = [...own, ...references];
    if (many.length === 0) all.push(alternatives);
    else {
      const has = alternatives.length > 0 ? [dialect.words.query([alternatives])] : [];
      apart.push(
        anyOf([
          ...has.map((query) => dialect.words.meets(table, alias, query)),
          ...many.map((field) => byName(source, field, word)),
        ]),
      );
    }
  }
  return { all, apart };
}

/**
 * The condition that all words occur.
 *
 * @param isForFew whether they are looked for in few rows
 */
export function meetsWords(source: Source, condition: WordsCondition, isForFew = false): Sql {
  if (condition.words.length === 0) return NEVER;
  if (!source.resource.searched) return inParts(source, condition);
  const { dialect, table, alias } = source;
  const { all, apart } = queryOf(source, condition);
  if (all.some((alternatives) => alternatives.length === 0)) return NEVER;
  const { words } = dialect;
  const isShort = isWhole(all) && all.flat().length <= MAX_LOOKED_UP;
  const query = words.query(all);
  const has =
    isForFew && isShort && words.stream
      ? words.stream.has(table, alias, query, MAX_LISTED)
      : words.meets(table, alias, query);
  const together = all.length > 0 ? [has] : [];
  return allOf([...together, ...apart]);
}

const isWhole = (all: readonly Alternatives[]): boolean =>
  all.every((alternatives) => alternatives.every((phrase) => phrase.isWhole));

/** A source whose rows are met by words, in the order of their keys. */
export interface Streamed {
  readonly source: Source;
  /** The condition that the words of a row are met. */
  readonly meets: Sql;
  readonly key: Sql;
}

/** @returns null where words do not lead from row to row */
export function streamedBy(source: Source, condition: WordsCondition): Streamed | null {
  const { table, alias, dialect } = source;
  const { words } = dialect;
  const { stream } = words;
  if (!stream || !source.resource.searched) return null;
  const { all, apart } = queryOf(source, condition);
  const isFound = all.length > 0 && all.every((alternatives) => alternatives.length > 0);
  if (!isFound || apart.length > 0 || !isWhole(all)) return null;
  const meets = stream.meets(table, words.query(all));
  return {
    source: {
      ...source,
      from: (...parts) => sql`${stream.from(table)} cross join ${source.from(...parts)}`,
    },
    meets: sql`${meets} and ${raw(`${alias}.key`)} = ${stream.key}`,
    key: stream.key,
  };
}

function byName(source: Source, field: Field, word: Word): Sql {
  const { shown, columns } = source.term(field);
  const [column = raw('null')] = columns;
  return allOf([
    shown,
    sql`${column} in (select k.id ${havingWord(source, field.to ?? '', PUBLIC, word)})`,
  ]);
}

/** In the rows with the words of each part of an object: every word in some part that the caller sees. */
function inParts(source: Source, { words }: WordsCondition): Sql {
  const { resource, rowId } = source;
  const parts = wordParts(resource);
  const fields = namesFor(source);
  return allOf(
    words.map((word) => {
      const own = parts.map(({ part, fields: [field] }) => {
        const has = sql`${rowId} in (select k.id ${havingWord(source, resource.type, part, word)})`;
        return field ? allOf([source.term(field).shown, has]) : NEVER;
      });
      return anyOf([...own, ...fields.map((field) => byName(source, field, word))]);
    }),
  );
}
