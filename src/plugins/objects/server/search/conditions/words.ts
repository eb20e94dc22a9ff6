/**
 * Finds objects by words: of their own texts as far as the caller sees them, and of what they refer to. In a table with a row
 * for each audience, the words of rows that not everybody finds have marks (`rights/marks.ts`).
 */
import { WORD_INDEX, type Alternatives } from '../../database/word-index';
import { ALWAYS, anyOf, NEVER, raw, reading, sql, type Sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import { ANY_MARK, splitMark } from '../../rights/marks';
import { AUDIENCE } from '../projection/keys';
import type { WordsCondition } from '../language/tree';
import {
  havingName,
  havingWord,
  marksOf,
  namedAt,
  namesFor,
  type Names,
  type Word,
} from './expansion';
import { allOf, type Source } from './source';
import { referenceToken, wordParts } from '../projection/texts';

/** A word with these marks as alternatives of the index of a table with the words of each audience. */
interface WordQuery {
  readonly word: Word;
  readonly alternatives: Alternatives;
  /** Fields by whose names very many are found: this is a condition of its own. */
  readonly many: readonly Field[];
}

/** @param marks before the tokens, empty for none */
function queriesOf(
  source: Source,
  { words, named, completed }: WordsCondition,
  marks: readonly string[],
): readonly WordQuery[] {
  const fields = namesFor(source);
  return words.map((word, at) => {
    const tokens = completed?.get(at) ?? 'many';
    const before = word.slice(0, -1);
    const own: Alternatives =
      tokens === 'many'
        ? marks.map((mark) => ({ tokens: word, mark }))
        : tokens.map((token) => {
            const [mark, last] = splitMark(token);
            return { tokens: [...before, last], isWhole: true, mark };
          });
    const found = fields.map((field) => [field, named?.get(namedAt(at, field)) ?? []] as const);
    const references = found.flatMap(([field, ids]) =>
      ids === 'many' ? [] : ids.map((id) => referenceToken(field.name, id)),
    );
    const whole = references.flatMap((token) =>
      marks.map((mark) => ({ tokens: [token], isWhole: true, mark })),
    );
    const many = found.filter(([, ids]) => ids === 'many').map(([field]) => field);
    return { word, alternatives: [...own, ...whole], many };
  });
}

/** The condition that all words occur: by the index of words. */
export function meetsWords(source: Source, condition: WordsCondition): Sql {
  if (condition.words.length === 0) return NEVER;
  if (!source.resource.searched) return inParts(source, condition);
  const { dialect, table, alias } = source;
  const { asked, known } = marksOf(source, condition);
  const plain = meetsBy(
    source,
    queriesOf(source, condition, ['', ...(known === 'many' ? [] : known)]),
    (query) => reading(WORD_INDEX, dialect.words.meets(table, alias, query)),
  );
  if (!asked || known !== 'many') return plain;
  // Which whole tokens there are with each of so many marks is not known.
  const begun = { ...condition, completed: new Map<number, 'many'>() };
  const marked = meetsBy(source, queriesOf(source, begun, [ANY_MARK]), (query) =>
    reading(WORD_INDEX, dialect.words.meetsMarked(table, alias, query, ANY_MARK, asked)),
  );
  return anyOf([plain, marked]);
}

/** @param meets the condition that a query of the index is met */
function meetsBy(
  source: Source,
  queries: readonly WordQuery[],
  meets: (query: string) => Sql,
): Sql {
  const { words } = source.dialect;
  const few = queries.filter(({ many }) => many.length === 0).map((one) => one.alternatives);
  if (few.some((alternatives) => alternatives.length === 0)) return NEVER;
  const together = few.length > 0 ? [meets(words.query(few))] : [];
  const apart = queries
    .filter(({ many }) => many.length > 0)
    .map(({ word, alternatives, many }) =>
      anyOf([
        ...(alternatives.length > 0 ? [meets(words.query([alternatives]))] : []),
        ...many.map((field) => byName(source, field, word)),
      ]),
    );
  return allOf([...together, ...apart]);
}

/**
 * The condition that a row is none of those that others find by their marks: it comes before its words are looked at, so
 * that the time does not depend on them.
 */
function isAdmitted({ access, alias }: Source): Sql {
  const exact = access.exact();
  if (exact === 'all') return ALWAYS;
  const inside = access.condition(exact, alias);
  return anyOf([raw(`${alias}.audience <> ${AUDIENCE.insiders}`), inside]);
}

/**
 * The same for rows that are looked at anyway.
 *
 * @param names what the words stand for, where that is asked for by the same statement
 */
export function hasWords(source: Source, condition: WordsCondition, names?: Names): Sql {
  if (condition.words.length === 0) return NEVER;
  const { dialect, alias, resource } = source;
  const { has } = dialect.words;
  if (!has || !resource.searched) return meetsWords(source, condition);
  const fields = namesFor(source);
  const all = allOf(
    condition.words.map((word, at) => {
      const named = fields.map((field) => {
        if (names) return refersTo(source, field, names.rowsOf(at, field));
        const ids = condition.named?.get(namedAt(at, field)) ?? [];
        if (ids === 'many') return byName(source, field, word);
        return ids.length === 0 ? NEVER : refersTo(source, field, raw(ids.join()));
      });
      return anyOf([has(alias, word), ...named]);
    }),
  );
  const admitted = isAdmitted(source);
  return admitted === ALWAYS ? all : sql`case when ${admitted} then ${all} else 0 end`;
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
  const { known } = marksOf(source, condition);
  if (known === 'many') return null;
  const queries = queriesOf(source, condition, ['', ...known]);
  const all = queries.map(({ alternatives }) => alternatives);
  const isFound = all.length > 0 && all.every((alternatives) => alternatives.length > 0);
  if (!isFound || queries.some(({ many }) => many.length > 0) || !isWhole(all)) return null;
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
  refersTo(source, field, havingName(source, field.to ?? '', word, null));

/** In the rows with the words of each part of an object: every word in some part that the caller sees. */
function inParts(source: Source, { words }: WordsCondition): Sql {
  if (words.length === 0) return NEVER;
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
