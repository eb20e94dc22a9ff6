/**
 * A table that is made for searches (`SearchTable`): of each object one row that everybody finds, or, where strangers see
 * it in another view than the exact one, one row for those who see it exactly and one for everybody else. The rows are in
 * the order of their time, so that the newest are together.
 */
import { amongRows } from '../database/row-ids';
import type { ColumnType, JsonColumn } from '../database/database';
import { join, literal, raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, type Row, type Work } from '../database/work';
import type { KeptColumns, KeptContext } from '../define/behavior';
import type { Field, Resource, Resources } from '../define/completed';
import type { SearchTable } from '../define/declaration';
import { definitionOf } from '../kinds';
import { jsonOf } from '../read/columns';
import { compileAccess } from '../rights/access';
import { EXACT, inView, viewOf } from '../rights/views';
import type { Body } from '../types';
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
/** For the rows of the same time. */
const BITS = 22n;

/** What a key begins with: rows without a time are before all others. */
export function timeKey(start: number | null, id: string): bigint {
  const units = start === null ? -1n : (BigInt(start) - FIRST) / UNIT;
  const unit = units < 0n ? (start === null ? -1n : 0n) : units < UNITS ? units : UNITS - 1n;
  // Bits of a random ID: the order in which objects were made tells of those that nobody may know.
  const bits = BigInt(`0x${id.replaceAll('-', '').slice(-6)}`) & ((1n << BITS) - 1n);
  return (unit << BITS) + bits;
}

const HEAD: readonly JsonColumn[] = [
  { name: 'key', type: 'text' },
  { name: 'id', type: 'integer' },
  { name: 'audience', type: 'integer' },
  { name: 'level', type: 'integer' },
  { name: 'sort_key', type: 'text' },
  { name: 'words', type: 'text' },
];

const isReference = ({ kind }: Field): boolean => kind === 'reference';

/** The columns of a field that are computed for each view. */
const typedColumns = ({ kind, columns }: Field): JsonColumn[] => {
  const types: readonly ColumnType[] =
    kind === 'time' ? ['text', 'bigint', 'bigint'] : [definitionOf(kind).parameter?.type ?? 'text'];
  return columns.map((name, at) => ({ name, type: types[at] ?? 'text' }));
};

/** Where it is kept. */
export function keptInTable(
  { fields }: Resource,
  { name, fields: names }: SearchTable,
): KeptColumns {
  const columns = names.flatMap((field) => fields.get(field)?.columns ?? []);
  return { table: name, key: 'key', columns: ['id', 'audience', 'level', 'sort_key', ...columns] };
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
  const list = [...HEAD, ...valued.flatMap(typedColumns)];

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
      ...naming.map(({ columns: [column = ''] }) => raw(`o.${column}`)),
    ]);
    heads.set(defaultPrivacy, head);
    return head;
  }

  function rowsOf(row: Row, context: KeptContext): SqlValue[][] {
    const { dialect, site } = context;
    const [id, documentId, view, json, ...referred] = row;
    const object = JSON.parse(String(json)) as Body;
    const audiences =
      view === EXACT
        ? [[AUDIENCE.everybody, EXACT] as const]
        : [[AUDIENCE.strangers, String(view)] as const, [AUDIENCE.insiders, EXACT] as const];
    const rows: SqlValue[][] = [];
    for (const [audience, seen] of audiences) {
      const value = (field: Field): unknown => inView(field, seen, object, site) ?? null;
      const encoded = valued.flatMap((field) =>
        definitionOf(field.kind).encode(value(field), dialect),
      );
      const tokens = naming.flatMap((field, at) => {
        const target = referred[at] ?? null;
        const isShown = target !== null && viewOf(field, seen) === 'shown';
        return isShown ? [referenceToken(field.name, String(target))] : [];
      });
      const words = [...tokens, ...tokensOfValues(texts.map(value))];
      const [, start = null] = time ? definitionOf('time').encode(value(time), dialect) : [];
      const key = timeKey(start === null ? null : Number(start), String(documentId));
      rows.push([
        String(key + BigInt(audience === AUDIENCE.insiders ? 1 : 0)),
        ...[Number(id), audience, levels.indexOf(seen)],
        ...[text ? sortKeyOf(value(text)) : null, dialect.words.text(words)],
        ...encoded,
      ]);
    }
    return rows;
  }

  return function* keep(ids, context) {
    const { dialect } = context;
    const stored = yield* ask(
      sql`select ${headFor(context)} from ${raw(table)} o where o.id ${amongRows(ids, dialect)}`,
    );
    if (stored.length === 0) return;
    const made = stored.flatMap((row) => rowsOf(row, context));
    const rows = yield* withFreeKeys(made, kept, context);
    const given = dialect.jsonRows(sql`${JSON.stringify(rows)}`, list);
    const { column } = dialect.words;
    const own = list
      .filter(({ name }) => name !== 'key' && name !== 'words')
      .map(({ name }) => name);
    const references = referring.map(({ columns: [name = ''] }) => name);
    const words = column ? sql`, ${column}` : raw('');
    yield* ask(
      sql`insert into ${raw(kept)} (${raw(['key', 'document_id', ...own, ...references].join(', '))}${words})
        select cast(r.key as bigint), o.document_id, ${join(own.map((name) => raw(`r.${name}`)))}
        ${raw(references.map((name) => `, o.${name}`).join(''))}${raw(column ? ', r.words::tsvector' : '')}
        from ${given} cross join ${raw(table)} o where o.id = r.id`,
    );
    const added = dialect.words.add(kept, sql`select cast(r.key as bigint), r.words from ${given}`);
    if (added) yield* ask(added);
  };
}

/** Rows whose keys no other row has: the next free one in place of one that is taken. */
function* withFreeKeys(
  rows: readonly SqlValue[][],
  kept: string,
  { dialect }: KeptContext,
): Work<SqlValue[][]> {
  const keys = dialect.jsonRows(sql`${JSON.stringify(rows.map(([key]) => [key]))}`, [
    { name: 'key', type: 'text' },
  ]);
  const met = yield* ask(
    sql`select r.key from ${keys} where exists (
      select 1 from ${raw(kept)} k where k.key = cast(r.key as bigint))`,
  );
  const taken = new Set(met.map(([key]) => String(key)));
  const free: SqlValue[][] = [];
  for (const [given = null, ...values] of rows) {
    let key = BigInt(String(given));
    if (taken.has(String(key)))
      do key += 1n;
      while (taken.has(String(key)) || (yield* isTaken(kept, key)));
    taken.add(String(key));
    free.push([String(key), ...values]);
  }
  return free;
}

function* isTaken(kept: string, key: bigint): Work<boolean> {
  return (yield* ask(sql`select 1 from ${raw(kept)} where key = ${key}`)).length > 0;
}
