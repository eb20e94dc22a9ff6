/** The words and sort keys of types that are searched in their own tables: a row for each part of an object's words. */
import { amongRows } from '../../database/row-ids';
import { join, raw, sql, type SqlValue } from '../../database/sql';
import { ask, tell, type Row, type Work } from '../../database/work';
import type { KeptContext } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import { keepNames } from './names';
import { sortedText, sortKeyOf, tokensOfValues, wordParts } from './texts';

export const OBJECTS = 'oms_search_objects';

/**
 * Keeps what searches need of these objects, of which nothing is kept yet.
 *
 * @param isIndexed whether their words come into the index of words; otherwise that is made anew afterwards
 */
export type Keep = (
  ids: readonly SqlValue[],
  context: KeptContext,
  isIndexed: boolean,
) => Work<void>;

/**
 * Keeps a row for everybody, with the sort key, and one for each part that not every reader sees and that has words; and the
 * names by which the objects are suggested.
 */
export function keepParts(resource: Resource): Keep {
  const { type, table } = resource;
  const parts = wordParts(resource);
  const text = sortedText(resource);
  const named = [...new Set([...parts.flatMap(({ fields }) => fields), ...(text ? [text] : [])])];
  const parse = (field: Field | undefined, value: SqlValue | undefined): unknown =>
    field && typeof value === 'string' && JSON_KINDS.has(field.kind) ? JSON.parse(value) : value;

  const valueIn =
    (row: Row) =>
    (field: Field): unknown =>
      parse(field, row[named.indexOf(field) + 2]);

  return function* keep(ids, context, isIndexed) {
    const { dialect } = context;
    const columns = named.map(({ columns: [column = ''] }) => raw(`o.${column}`));
    const rows = yield* ask(
      sql`select ${join([raw('o.id'), raw('o.document_id'), ...columns])} from ${raw(table)} o where o.id ${amongRows(ids, dialect)}`,
    );
    const values = rows.flatMap((row): SqlValue[][] => {
      const of = valueIn(row);
      return parts.flatMap(({ part, fields }) => {
        const tokens = tokensOfValues(fields.map(of));
        const key = part === 0 && text ? sortKeyOf(of(text)) : null;
        if (part > 0 && tokens.length === 0) return [];
        return [[Number(row[0]), row[1] ?? null, part, key, dialect.words.text(tokens, null)]];
      });
    });
    const list = dialect.jsonRows(sql`${JSON.stringify(values)}`, COLUMNS);
    yield* tell(
      sql`insert into ${raw(OBJECTS)} (type, id, document_id, part, sort_key, words)
        select ${type}, r.id, r.document_id, r.part, r.sort_key, cast(r.words as ${raw(dialect.words.type)}) from ${list}`,
    );
    const added = dialect.words.add(
      { name: OBJECTS, isMarked: false },
      sql`from ${raw(OBJECTS)} where type = ${type} and id ${amongRows(ids, dialect)}`,
    );
    if (added && isIndexed) yield* tell(added);
    yield* keepNames(
      resource,
      rows.map((row) => ({ id: Number(row[0]), of: valueIn(row) })),
      dialect,
    );
  };
}

const JSON_KINDS: ReadonlySet<string> = new Set(['texts', 'individualNames', 'localized']);

const COLUMNS = [
  { name: 'id', type: 'integer' },
  { name: 'document_id', type: 'text' },
  { name: 'part', type: 'integer' },
  { name: 'sort_key', type: 'text' },
  { name: 'words', type: 'text' },
] as const;
