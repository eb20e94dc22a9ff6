/** The words and sort keys of types that are searched in their own tables: a row for each part of an object's words. */
import { differingRows } from '../../database/compare-rows';
import { amongRows } from '../../database/row-ids';
import { join, raw, sql, type SqlValue } from '../../database/sql';
import { ask, tell, type Row, type Work } from '../../database/work';
import type { KeptContext } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import { differingNames, keepNames, type Named } from './names';
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

/** What a type that is searched in its own table has of its objects. */
export interface Parts {
  readonly keep: Keep;
  /** Those of these objects of which something else is kept. */
  readonly differing: (ids: readonly SqlValue[], context: KeptContext) => Work<SqlValue[]>;
}

/**
 * Keeps a row for everybody, with the sort key, and one for each part that not every reader sees and that has words; and the
 * names by which the objects are suggested.
 */
export function createParts(resource: Resource): Parts {
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

  function* read(ids: readonly SqlValue[], { dialect }: KeptContext): Work<Made> {
    const columns = named.map(({ columns: [column = ''] }) => raw(`o.${column}`));
    const rows = yield* ask(
      sql`select ${join([raw('o.id'), raw('o.document_id'), ...columns])} from ${raw(table)} o where o.id ${amongRows(ids, dialect)}`,
    );
    const objects = rows.map((row) => ({ id: Number(row[0]), of: valueIn(row) }));
    const values = rows.flatMap((row): SqlValue[][] => {
      const of = valueIn(row);
      return parts.flatMap(({ part, fields }) => {
        const tokens = tokensOfValues(fields.map(of));
        const key = part === 0 && text ? sortKeyOf(of(text)) : null;
        if (part > 0 && tokens.length === 0) return [];
        return [[Number(row[0]), row[1] ?? null, part, key, dialect.words.text(tokens, null)]];
      });
    });
    return { values, objects };
  }

  function* keep(ids: readonly SqlValue[], context: KeptContext, isIndexed: boolean): Work<void> {
    const { dialect } = context;
    const { values, objects } = yield* read(ids, context);
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
    yield* keepNames(resource, objects, dialect);
  }

  return {
    keep,
    *differing(ids, context) {
      const { values, objects } = yield* read(ids, context);
      const columns = ['id', 'part', 'document_id', 'sort_key', 'words'];
      const rows = values.map(([id, documentId, part, ...others]) =>
        [id, part, documentId, ...others].map((value) => value ?? null),
      );
      const where = sql`k.type = ${type}`;
      const expected = { table: OBJECTS, columns, keys: 2, rows, where };
      return [
        ...(yield* differingRows(expected, ids, context.dialect)),
        ...(yield* differingNames(resource, ids, objects, context.dialect)),
      ];
    },
  };
}

/** The rows of objects, and the objects of which names are kept. */
interface Made {
  readonly values: readonly SqlValue[][];
  readonly objects: readonly Named[];
}

const JSON_KINDS: ReadonlySet<string> = new Set(['texts', 'individualNames', 'localized']);

const COLUMNS = [
  { name: 'id', type: 'integer' },
  { name: 'document_id', type: 'text' },
  { name: 'part', type: 'integer' },
  { name: 'sort_key', type: 'text' },
  { name: 'words', type: 'text' },
] as const;
