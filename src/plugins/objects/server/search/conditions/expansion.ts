/**
 * What is asked before a search by words is compiled: what they stand for, and by which marks the caller finds those that
 * not everybody does.
 */
import { ALWAYS, anyOf, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import { storedNames } from '../../declare/references';
import { EVERYTHING, marksFor } from '../../rights/marks';
import type { WordsCondition } from '../language/tree';
import { MAX_MARKED_NAMES, MAX_MARKS } from '../language/limits';
import { OBJECTS } from '../projection/parts';
import type { Question } from './probe';
import { allOf, type Source } from './source';
import { namingFields } from '../projection/texts';

export type Word = readonly string[];

/** The objects of one name whose tokens are put into one query. */
const MAX_NAMED = 500;

/** The tokens with which one word is completed, without a mark and with one: the index follows the rows of each of them. */
const MAX_COMPLETIONS = 64;

export const namedAt = (at: number, field: Field): string => `${at} ${field.name}`;

/** The fields by whose names the caller finds: those of objects that it may read. */
export const namesFor = ({ resource, accessTo }: Source): Field[] =>
  namingFields(resource).filter(
    ({ to }) => to !== null && (accessTo(to)?.extent('read').length ?? 0) > 0,
  );

/** The rows `k` of the objects of a type that have a word in a part. */
export function havingWord(
  { dialect: { words }, expectWords }: Source,
  type: string,
  part: number,
  word: Word,
): Sql {
  expectWords?.(type);
  const query = words.query([[{ tokens: word }]]);
  const ofPart = sql`k.type = ${type} and k.part = ${raw(String(part))}`;
  const table = raw(`${OBJECTS} k`);
  // By their words: there are many rows of a type.
  return words.stream
    ? sql`from ${words.stream.from(OBJECTS)} cross join ${table}
        where ${words.stream.meets(OBJECTS, query)} and k.key = ${words.stream.key} and ${ofPart}`
    : sql`from ${table} where ${words.meets(OBJECTS, 'k', query)} and ${ofPart}`;
}

/**
 * A `select` of the objects of a type that have a word in their names and that the caller may read, and of all other names
 * of them.
 *
 * @param most the limit of each; null for none
 * @param readable the condition that the caller may read an object `n`
 */
export function havingName(
  source: Source,
  type: string,
  word: Word,
  most: Sql | null,
  readable = readableIn(source, type),
): Sql {
  const limit = most === null ? raw('') : sql` limit ${most}`;
  const { table: tableOf } = storedNames(source.resources);
  const isRead =
    readable === ALWAYS
      ? raw('')
      : sql` and exists (select 1 from ${tableOf(type)} n where n.id = k.id and ${readable})`;
  const own = sql`select k.id ${havingWord(source, type, PUBLIC, word)}${isRead}${limit}`;
  const { table, aliasColumn } = storedNames(source.resources);
  const alias = aliasColumn(type);
  if (alias === null) return own;
  return sql`with recursive n(id) as (
      select h.id from (${own}) h
      union select c.id from n join ${table(type)} c on c.${raw(alias)} = n.id)
    select n.id from n${limit}`;
}

function readableIn({ accessTo }: Source, type: string): Sql {
  const theirs = accessTo(type);
  return theirs?.condition(theirs.extent('read'), 'n') ?? NEVER;
}

/**
 * The same, for several words: what of it depends on none of them is asked for, and planned, once.
 *
 * @param table a name for it
 * @returns the condition, and parts of a `with`
 */
function readableOnce(source: Source, type: string, table: Sql): readonly [Sql, readonly Sql[]] {
  const theirs = source.accessTo(type);
  const parts = theirs?.parted(theirs.extent('read'), 'n') ?? null;
  return parts
    ? [
        anyOf([parts.usual, sql`n.id in (select r.id from ${table} r)`]),
        [sql`${table}(id) as materialized (${parts.others})`],
      ]
    : [readableIn(source, type), []];
}

/** Stands for tokens that were not asked for. */
const NOT_ASKED = 'no tokens';

const MARKS = 'marks';

/** What a caller's search puts in front of words. */
export interface OwnMarks {
  /** A `select` of them as `mark`, which asks the database; null where there is nothing to ask. */
  readonly asked: Sql | null;
  /** Those that are known. */
  readonly known: readonly string[] | 'many';
}

export function marksOf(source: Source, condition: WordsCondition): OwnMarks {
  const { resource, resources, access, dialect } = source;
  if (access.exact() === 'all') return { asked: null, known: [EVERYTHING] };
  const asked = marksFor(resource, access, resources, dialect);
  return { asked, known: asked ? knownIn(condition) : [] };
}

function knownIn({ marks = 'many', named }: WordsCondition): OwnMarks['known'] {
  const names = [...(named?.values() ?? [])].flatMap((ids) => (ids === 'many' ? [] : ids));
  return marks.length * names.length > MAX_MARKED_NAMES ? 'many' : marks;
}

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
  const readable = fields.map(({ to }, n) => readableOnce(source, to ?? '', raw(`readable_${n}`)));
  const named = words.flatMap((word, at) =>
    fields.map((field, n) => ({
      key: namedAt(at, field),
      table: raw(`named_${at}_${n}`),
      rows: havingName(source, field.to ?? '', word, most, readable[n]?.[0]),
    })),
  );
  const rowsOf = new Map(named.map(({ key, table }) => [key, sql`select n.id from ${table} n`]));
  return {
    common: [
      ...readable.flatMap(([, common]) => common),
      ...named.map(({ table, rows }) => sql`${table}(id) as materialized (${rows})`),
    ],
    selects: named.map(
      ({ key, table }) => sql`select ${key} as name, cast(n.id as text) as found from ${table} n`,
    ),
    rowsOf: (at, field) => rowsOf.get(namedAt(at, field)) ?? raw('null'),
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
  const named = words.flatMap((_, at) => fields.map((field) => namedAt(at, field)));
  const completed = stream ? words.map((word, at) => ({ at, beginning: word.at(-1) ?? '' })) : [];
  const { asked, known } = marksOf(source, condition);
  const isMarked = asked !== null || known.length > 0;
  const mostTokens = isMarked ? 2 * MAX_COMPLETIONS : MAX_COMPLETIONS;
  const most = mostTokens + 1;
  const few = raw(String(MAX_MARKS));
  const marks = asked
    ? sql`select k.mark from own_marks k where (select count(*) from own_marks) <= ${few}`
    : sql`select ${known[0] ?? ''} as mark`;
  const prefixes = sql`select '' as mark${isMarked ? sql` union all ${marks}` : raw('')}`;
  return {
    common: [
      ...common,
      ...(asked
        ? [
            sql`own_marks(mark) as materialized (select a.mark from (${asked}) a limit ${raw(String(MAX_MARKS + 1))})`,
          ]
        : []),
    ],
    selects: [
      ...(asked ? [sql`select ${MARKS} as name, k.mark as found from own_marks k`] : []),
      ...selects,
      ...(stream ? [sql`select ${NOT_ASKED} as name, 1 as found where ${isFound}`] : []),
      ...completed.map(({ at, beginning }) => {
        const tokens = stream?.completions(source.table, beginning, prefixes, most) ?? raw('');
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
        marks: upTo(MAX_MARKS, (answers.get(MARKS) ?? []).map(String)),
        ...(stream && !answers.has(NOT_ASKED)
          ? {
              completed: new Map(
                completed.map(({ at }) => [at, upTo(mostTokens, tokensOf(at))] as const),
              ),
            }
          : {}),
      };
    },
  };
}
