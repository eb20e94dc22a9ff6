/**
 * A table that is made for searches (`SearchTable`): of each object one row that everybody finds, or, where strangers see
 * it in another view than the exact one, one row for those who see it exactly and one for everybody else. The rows are in
 * the order of their time, so that the newest are together.
 */
import { randomInt } from 'node:crypto';
import { amongRows } from '../database/row-ids';
import type { ColumnType, JsonColumn } from '../database/database';
import { join, literal, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, tell, type Row, type Work } from '../database/work';
import type { KeptColumns, KeptContext } from '../define/behavior';
import type { Field, Resource, Resources } from '../define/completed';
import type { SearchTable } from '../define/declaration';
import { definitionOf } from '../kinds';
import { jsonOf } from '../read/columns';
import { compileAccess } from '../rights/access';
import { EXACT, inView, viewOf } from '../rights/views';
import type { Body } from '../types';
import { cellOf } from './cells';
import { positionOf } from './filters';
import type { Keep } from './parts';
import {
  namingFields,
  referenceToken,
  sortedText,
  sortKeyOf,
  textFields,
  tokensOfValues,
} from './texts';

/** Who finds a row. */
export const AUDIENCE = { everybody: 0, strangers: 1, insiders: 2 } as const;

/** Units of the time in a key: 16 milliseconds; from the year 1716, for more than a thousand years. */
const UNIT = 16n;
const FIRST = -8_000_000_000_000n;
const UNITS = (1n << 41n) - 1n;
/** For the rows of the same time. One whose key is taken has the next free one, be it among those of the next unit. */
export const BITS = 22n;

/** The least key of a time: rows without one are before all others. */
export function leastKey(start: number | null): bigint {
  const units = start === null ? -1n : (BigInt(start) - FIRST) / UNIT;
  const unit = units < 0n ? (start === null ? -1n : 0n) : units < UNITS ? units : UNITS - 1n;
  return unit << BITS;
}

/** A key among those of a time. By chance: the order in which objects were made tells of those that nobody may know. */
const timeKey = (start: number | null): bigint =>
  leastKey(start) + BigInt(randomInt(2 ** Number(BITS)));

const HEAD: readonly JsonColumn[] = [
  { name: 'key', type: 'text' },
  { name: 'document_id', type: 'text' },
  { name: 'id', type: 'integer' },
  { name: 'audience', type: 'integer' },
  { name: 'level', type: 'integer' },
  { name: 'sort_key', type: 'text' },
  { name: 'cell', type: 'bigint' },
  { name: 'words', type: 'text' },
];

/** The place of the words in a row. */
const WORDS = HEAD.findIndex(({ name }) => name === 'words');

const isReference = ({ kind }: Field): boolean => kind === 'reference';

/** The columns of a field that are computed for each view. */
const typedColumns = ({ kind, columns }: Field): JsonColumn[] => {
  const types: readonly ColumnType[] =
    kind === 'time' ? ['text', 'bigint', 'bigint'] : [definitionOf(kind).parameter?.type ?? 'text'];
  return columns.map((name, at) => ({ name, type: types[at] ?? 'text' }));
};

/** The cell of a position, if there is one. */
const cellFor = ([latitude, longitude]: readonly unknown[]): number | null =>
  typeof latitude === 'number' && typeof longitude === 'number'
    ? cellOf(latitude, longitude)
    : null;

/** Where it is kept. */
export function keptInTable(
  { fields }: Resource,
  { name, fields: names }: SearchTable,
): KeptColumns {
  const columns = names.flatMap((field) => fields.get(field)?.columns ?? []);
  return {
    table: name,
    // Not the key of a row: where two rows want the same one, it tells which came first.
    key: 'id',
    columns: ['audience', 'level', 'sort_key', 'cell', ...columns],
  };
}

export function keepAudiences(
  resource: Resource,
  { name: kept, fields: names }: SearchTable,
  resources: Resources,
): Keep {
  const { table, views } = resource;
  const levels = [EXACT, ...(views?.names ?? [])];
  const fields = names.flatMap((name) => resource.fields.get(name) ?? []);
  const valued = fields.filter((field) => !isReference(field));
  const referring = fields.filter(isReference);
  const time = fields.find(({ kind }) => kind === 'time');
  const text = sortedText(resource);
  const texts = textFields(resource);
  const naming = namingFields(resource);
  const loaded = [...new Set([...valued, ...texts, ...(text ? [text] : [])])];
  const position = positionOf(resource) ?? [];
  const columnOf = ({ columns: [name = ''] }: Field): string => name;
  const list = [
    ...HEAD,
    ...valued.flatMap(typedColumns),
    ...referring.map((field): JsonColumn => ({ name: columnOf(field), type: 'integer' })),
  ];
  const referred = [...new Set([...referring, ...naming])];

  /** What is read of the objects, by the site's privacy. */
  const heads = new Map<string, Sql>();
  function headFor({
    dialect,
    site: { defaultLocationPrivacy: defaultPrivacy },
  }: KeptContext): Sql {
    const known = heads.get(defaultPrivacy);
    if (known) return known;
    const nobody = { role: 'anonymous', claims: false } as const;
    const alone = { resources, dialect, access: () => undefined, defaultPrivacy };
    const strangersView = compileAccess(resource, nobody, new Set(), alone).view('o');
    const columns = { role: 'administrator', resources, dialect, access: null } as const;
    const head = join([
      raw('o.id'),
      raw('o.document_id'),
      strangersView ?? literal(EXACT),
      jsonOf(loaded, columns),
      ...referred.map((field) => raw(`o.${columnOf(field)}`)),
    ]);
    heads.set(defaultPrivacy, head);
    return head;
  }

  function rowsOf(row: Row, context: KeptContext): SqlValue[][] {
    const { dialect, site } = context;
    const [id, documentId = null, view, json, ...references] = row;
    const reference = (field: Field): SqlValue => references[referred.indexOf(field)] ?? null;
    const object = JSON.parse(String(json)) as Body;
    const audiences =
      view === EXACT
        ? [[AUDIENCE.everybody, EXACT] as const]
        : [[AUDIENCE.strangers, String(view)] as const, [AUDIENCE.insiders, EXACT] as const];
    const rows: SqlValue[][] = [];
    for (const [audience, seen] of audiences) {
      const value = (field: Field): unknown => inView(field, seen, object, site) ?? null;
      const encoded: SqlValue[] = [];
      let start: SqlValue = null;
      for (const field of valued) {
        const columns = definitionOf(field.kind).encode(value(field), dialect);
        if (field === time) [, start = null] = columns;
        for (const one of columns) encoded.push(one);
      }
      const tokens = naming.flatMap((field) => {
        const target = reference(field);
        const isShown = target !== null && viewOf(field, seen) === 'shown';
        return isShown ? [referenceToken(field.name, String(target))] : [];
      });
      const words = [...tokens, ...tokensOfValues(texts.map(value))];
      const key = timeKey(start === null ? null : Number(start));
      rows.push([
        String(key + BigInt(audience === AUDIENCE.insiders ? 1 : 0)),
        ...[documentId, Number(id), audience, levels.indexOf(seen)],
        ...[text ? sortKeyOf(value(text)) : null, cellFor(position.map(value))],
        dialect.words.text(words),
        ...encoded,
        ...referring.map(reference),
      ]);
    }
    return rows;
  }

  return function* keep(ids, context) {
    const { dialect } = context;
    const made: SqlValue[][] = [];
    for (let at = 0; at < ids.length; at += dialect.setSize) {
      const some = amongRows(ids.slice(at, at + dialect.setSize), dialect);
      const stored = yield* ask(
        sql`select ${headFor(context)} from ${raw(table)} o where o.id ${some}`,
      );
      for (const row of stored) made.push(...rowsOf(row, context));
    }
    if (made.length === 0) return;
    const rows = yield* withFreeKeys(made, kept, context);
    // In the order of the table: an index of words writes a part of its own for a key before the last one.
    rows.sort(([a], [b]) => (a < b ? -1 : 1));
    const { column } = dialect.words;
    const words = rows.map((row): SqlValue[] => [row[0], row[WORDS] ?? null]);
    const own = rows.map((row) => row.filter((_, at) => at !== WORDS || column !== null));
    const names = list.flatMap(({ name }) => (name === 'words' && !column ? [] : name));
    for (const insert of dialect.insertRows(`${kept} (${names.join(', ')})`, own))
      yield* tell(insert);
    for (const insert of dialect.words.addRows(kept, words)) yield* tell(insert);
  };
}

type KeyedRow = readonly [key: bigint, ...values: SqlValue[]];

/**
 * Rows whose keys no other row has: the next free one in place of one that is taken. Where the change is retried, only
 * these rows are compared: a key is seldom taken, and to look for it is one more question to the database.
 */
function* withFreeKeys(
  rows: readonly SqlValue[][],
  kept: string,
  { dialect, isRetried }: KeptContext,
): Work<KeyedRow[]> {
  const taken = new Set<bigint>();
  if (!isRetried) {
    const keys = dialect.jsonRows(sql`${JSON.stringify(rows.map(([key]) => [key]))}`, [
      { name: 'key', type: 'text' },
    ]);
    const met = yield* ask(
      sql`select cast(k.key as text) from ${raw(kept)} k
        where k.key ${dialect.among(sql`select cast(r.key as bigint) from ${keys}`)}`,
    );
    for (const [key] of met) taken.add(BigInt(String(key)));
  }
  const free: KeyedRow[] = [];
  for (const [given = null, ...values] of rows) {
    let key = BigInt(String(given));
    if (taken.has(key))
      do key += 1n;
      while (taken.has(key) || (!isRetried && (yield* isTaken(kept, key))));
    taken.add(key);
    free.push([key, ...values]);
  }
  return free;
}

function* isTaken(kept: string, key: bigint): Work<boolean> {
  return (yield* ask(sql`select 1 from ${raw(kept)} where key = ${key}`)).length > 0;
}
