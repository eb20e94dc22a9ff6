/** Finds objects by words: of their own texts as far as the caller sees them, and of what they refer to. */
import type { Alternatives } from '../database/word-index';
import { anyOf, join, NEVER, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { Field } from '../define/completed';
import { OBJECTS } from './parts';
import type { WordsCondition } from './condition';
import { allOf, type Source } from './source';
import { namingFields, referenceToken, wordParts } from './texts';

type Word = readonly string[];

/** The objects of one name whose tokens are put into one query. */
const MAX_NAMED = 500;

const nameKey = (at: number, field: Field): string => `${at} ${field.name}`;

/** The fields by whose names the caller finds: whoever may not read all objects of a type learns nothing of their names. */
const namesFor = ({ resource, accessTo }: Source): Field[] =>
  namingFields(resource).filter(({ to }) => to !== null && accessTo(to)?.extent('read') === 'all');

/** The objects of a type that have a word which everybody sees. */
const havingWord = ({ dialect }: Source, type: string, word: Word): Sql =>
  sql`from ${raw(`${OBJECTS} k`)} where k.type = ${type} and k.part = 0
    and ${dialect.words.meets(OBJECTS, 'k', dialect.words.query([[{ tokens: word }]]))}`;

/** Finds out which objects have the words in their names, where the searched table has tokens of them. */
export async function withNamed(
  source: Source,
  condition: WordsCondition,
  run: (query: Sql) => Promise<readonly Row[]>,
): Promise<WordsCondition> {
  const fields = namesFor(source);
  if (!source.resource.searched || fields.length === 0 || condition.words.length === 0)
    return condition;
  const parts = condition.words.flatMap((word, at) =>
    fields.map(
      (field) => sql`select ${nameKey(at, field)} as name, p.id from (
        select k.id ${havingWord(source, field.to ?? '', word)} limit ${raw(String(MAX_NAMED + 1))}) p`,
    ),
  );
  const named = new Map<string, number[] | 'many'>();
  for (const [name, id] of await run(join(parts, ' union all '))) {
    const known = named.get(String(name)) ?? [];
    if (known === 'many') continue;
    named.set(String(name), known.length === MAX_NAMED ? 'many' : [...known, Number(id)]);
  }
  return { ...condition, named };
}

/** The condition that all words occur. */
export function meetsWords(source: Source, condition: WordsCondition): Sql {
  if (condition.words.length === 0) return NEVER;
  return source.resource.searched ? inTable(source, condition) : inParts(source, condition);
}

/** In a table with the words of each audience: by one query, but for words that very many names have. */
function inTable(source: Source, { words, named }: WordsCondition): Sql {
  const { dialect, table, alias } = source;
  const fields = namesFor(source);
  const asOne: Alternatives[] = [];
  const apart: Sql[] = [];
  for (const [at, word] of words.entries()) {
    const own = { tokens: word };
    const found = fields.map((field) => [field, named?.get(nameKey(at, field)) ?? []] as const);
    const tokens = found.flatMap(([field, ids]) =>
      ids === 'many'
        ? []
        : ids.map((id) => ({ tokens: [referenceToken(field.name, id)], isWhole: true })),
    );
    const many = found.filter(([, ids]) => ids === 'many').map(([field]) => field);
    if (many.length === 0) asOne.push([own, ...tokens]);
    else
      apart.push(
        anyOf([
          dialect.words.meets(table, alias, dialect.words.query([[own, ...tokens]])),
          ...many.map((field) => byName(source, field, word)),
        ]),
      );
  }
  const together =
    asOne.length > 0 ? [dialect.words.meets(table, alias, dialect.words.query(asOne))] : [];
  return allOf([...together, ...apart]);
}

function byName(source: Source, field: Field, word: Word): Sql {
  const { shown, columns } = source.term(field);
  const [column = raw('null')] = columns;
  return allOf([
    shown,
    sql`${column} in (select k.id ${havingWord(source, field.to ?? '', word)})`,
  ]);
}

/** In the rows with the words of each part of an object: every word in some part that the caller sees. */
function inParts(source: Source, { words }: WordsCondition): Sql {
  const { resource, rowId, dialect } = source;
  const parts = wordParts(resource);
  const fields = namesFor(source);
  return allOf(
    words.map((word) => {
      const query = dialect.words.query([[{ tokens: word }]]);
      const own = parts.map(({ part, fields: [field] }) => {
        const has = sql`${rowId} in (select k.id from ${raw(`${OBJECTS} k`)}
          where k.type = ${resource.type} and k.part = ${raw(String(part))}
          and ${dialect.words.meets(OBJECTS, 'k', query)})`;
        return field ? allOf([source.term(field).shown, has]) : NEVER;
      });
      return anyOf([...own, ...fields.map((field) => byName(source, field, word))]);
    }),
  );
}
