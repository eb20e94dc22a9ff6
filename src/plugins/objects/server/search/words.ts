/** Finds objects by words: of their own texts as far as the caller sees them, and of what they refer to. */
import type { Alternatives } from '../database/word-index';
import { anyOf, NEVER, raw, sql, type Sql } from '../database/sql';
import type { Field } from '../define/completed';
import { OBJECTS } from './parts';
import type { WordsCondition } from './condition';
import type { Question } from './questions';
import { allOf, type Source } from './source';
import { namingFields, referenceToken, wordParts } from './texts';

type Word = readonly string[];

/** The objects of one name whose tokens are put into one query. */
const MAX_NAMED = 500;

/** The tokens with which one word is completed: the index follows the rows of each of them. */
const MAX_COMPLETIONS = 64;

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

/** Stands for tokens that were not asked for. */
const NOT_ASKED = 'no tokens';

/** The part of an object whose words everybody sees. */
const PUBLIC = 0;

/** The objects that have a word in their names: their rows, up to one more than `MAX_NAMED`. */
export interface Names extends Required<Pick<Question<unknown>, 'common' | 'selects'>> {
  /** A `select` of the rows, for a statement that has what is common. */
  readonly rowsOf: (at: number, field: Field) => Sql;
  /** The condition that these are all rows. */
  readonly areAll: Sql;
}

export function namesOf(source: Source, { words }: WordsCondition): Names {
  const fields = source.resource.searched ? namesFor(source) : [];
  const most = raw(String(MAX_NAMED + 1));
  const named = words.flatMap((word, at) =>
    fields.map((field, n) => ({
      key: nameKey(at, field),
      table: raw(`named_${at}_${n}`),
      rows: sql`select k.id ${havingWord(source, field.to ?? '', PUBLIC, word)} limit ${most}`,
    })),
  );
  const rowsOf = new Map(named.map(({ key, table }) => [key, sql`select n.id from ${table} n`]));
  return {
    common: named.map(({ table, rows }) => sql`${table}(id) as materialized (${rows})`),
    selects: named.map(
      ({ key, table }) => sql`select ${key} as name, n.id as found from ${table} n`,
    ),
    rowsOf: (at, field) => rowsOf.get(nameKey(at, field)) ?? raw('null'),
    areAll: allOf(
      named.map(({ table }) => sql`(select count(*) from ${table}) <= ${raw(String(MAX_NAMED))}`),
    ),
  };
}

/**
 * What the words stand for in a table with tokens of what its objects refer to: which objects have them in their names,
 * and, where rows are met by whole tokens alone, which tokens begin so.
 *
 * @param isFound the condition that the tokens are not needed: something else leads to the rows
 */
export function meaningOf(
  source: Source,
  condition: WordsCondition,
  { common, selects }: Names,
  isFound: Sql,
): Question<WordsCondition> {
  const { words } = condition;
  if (!source.resource.searched) return { selects: [], read: () => condition };
  const fields = namesFor(source);
  const { stream } = source.dialect.words;
  const named = words.flatMap((_, at) => fields.map((field) => nameKey(at, field)));
  const completed = stream ? words.map((word, at) => ({ at, beginning: word.at(-1) ?? '' })) : [];
  const most = MAX_COMPLETIONS + 1;
  return {
    common,
    selects: [
      ...selects,
      ...(stream ? [sql`select ${NOT_ASKED} as name, 1 as found where ${isFound}`] : []),
      ...completed.map(({ at, beginning }) => {
        const tokens = stream?.completions(source.table, beginning, most) ?? raw('');
        return sql`select ${String(at)} as name, t.token as found from (
          select * from (${tokens}) limit case when ${isFound} then 0 else ${raw(String(most))} end) t`;
      }),
    ],
    read(answers) {
      const upTo = <T>(limit: number, all: readonly T[]): readonly T[] | 'many' =>
        all.length > limit ? 'many' : all;
      const idsOf = (key: string): number[] => (answers.get(key) ?? []).map(Number);
      const tokensOf = (at: number): string[] => (answers.get(String(at)) ?? []).map(String);
      return {
        ...condition,
        named: new Map(named.map((key) => [key, upTo(MAX_NAMED, idsOf(key))] as const)),
        ...(stream && !answers.has(NOT_ASKED)
          ? {
              completed: new Map(
                completed.map(({ at }) => [at, upTo(MAX_COMPLETIONS, tokensOf(at))] as const),
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

/** The condition that all words occur: by the index of words. */
export function meetsWords(source: Source, condition: WordsCondition): Sql {
  if (condition.words.length === 0) return NEVER;
  if (!source.resource.searched) return inParts(source, condition);
  const { dialect, table, alias } = source;
  const { all, apart } = queryOf(source, condition);
  if (all.some((alternatives) => alternatives.length === 0)) return NEVER;
  const together =
    all.length > 0 ? [dialect.words.meets(table, alias, dialect.words.query(all))] : [];
  return allOf([...together, ...apart]);
}

/**
 * The same for rows that are looked at anyway.
 *
 * @param names what the words stand for, where that is asked for by the same statement
 */
export function hasWords(source: Source, condition: WordsCondition, names?: Names): Sql {
  const { dialect, alias, resource } = source;
  const { has } = dialect.words;
  if (!has || !resource.searched) return meetsWords(source, condition);
  const fields = namesFor(source);
  return allOf(
    condition.words.map((word, at) => {
      const named = fields.map((field) => {
        if (names) return refersTo(source, field, names.rowsOf(at, field));
        const ids = condition.named?.get(nameKey(at, field)) ?? [];
        if (ids === 'many') return byName(source, field, word);
        return ids.length === 0 ? NEVER : refersTo(source, field, raw(ids.join()));
      });
      return anyOf([has(alias, word), ...named]);
    }),
  );
}

/** @param rows of one of which the field has the ID */
function refersTo(source: Source, field: Field, rows: Sql): Sql {
  const { shown, columns } = source.term(field);
  const [column = raw('null')] = columns;
  return allOf([shown, sql`${column} in (${rows})`]);
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

const byName = (source: Source, field: Field, word: Word): Sql =>
  refersTo(source, field, sql`select k.id ${havingWord(source, field.to ?? '', PUBLIC, word)}`);

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
