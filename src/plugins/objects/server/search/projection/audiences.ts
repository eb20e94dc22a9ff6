/**
 * A table that is made for searches (`SearchTable`), with a row of each object for each audience (`audience-rows.ts`). The
 * rows are in the order of their time, so that the newest are together.
 */
import { differingRows } from '../../database/compare-rows';
import { amongRows } from '../../database/row-ids';
import { join, raw, slot, sql, type Sql, type SqlValue } from '../../database/sql';
import { ask, tell, type Work } from '../../database/work';
import type { Affected, KeptColumns, KeptContext } from '../../declare/behavior';
import type { Resource, Resources } from '../../declare/completed';
import type { SearchTable } from '../../declare/search-table';
import { createRowMaker } from './audience-rows';
import { AUDIENCE, BITS, leastKey } from './keys';
import { decidingFields } from './moved';
import type { Keep } from './parts';
import { isSpan } from '../../kinds/traits';

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
    columns: ['audience', 'level', 'sort_key', 'cell', 'marks', ...columns],
  };
}

/** Keeps the rows of objects. */
export interface Audiences {
  readonly keep: Keep;
  /** Those of these objects of which other rows are kept. */
  readonly differing: (ids: readonly SqlValue[], context: KeptContext) => Work<SqlValue[]>;
  /** Keeps the rows of objects after a change, of which nothing is kept yet. */
  readonly keepAfter: (changed: readonly Affected[], context: KeptContext) => Work<void>;
  /** Whether a change of these fields leaves an object its rows, and each row its place. */
  readonly staysInPlace: (changed: ReadonlySet<string>) => boolean;
  /**
   * Changes the rows of objects that stay in their places.
   *
   * @param objects of which these fields have changed, of each at least one
   */
  readonly change: (
    objects: readonly Affected[],
    changed: ReadonlySet<string>,
    context: KeptContext,
  ) => Work<void>;
  /** After changes of references that decide over who finds the words of objects. */
  readonly mark: (ids: readonly SqlValue[], context: KeptContext) => Work<void>;
}

export function createAudiences(
  resource: Resource,
  table: SearchTable,
  resources: Resources,
): Audiences {
  const { name: kept } = table;
  const maker = createRowMaker(resource, table, resources);
  const { columns, rowsOf, rowsAfter, placesOf, insidePlacesOf } = maker;
  const placeOf = (name: string): number => columns.indexOf(name);
  const [words, marks, id, audience] = ['words', 'marks', 'id', 'audience'].map(placeOf) as [
    number,
    number,
    number,
    number,
  ];
  const indexed = { name: kept, isMarked: true };
  const inside = raw(`audience = ${AUDIENCE.insiders}`);
  const time = [...resource.fields.values()].find(isSpan);
  const fixed = new Set([...decidingFields(resource), ...(time ? [time.name] : [])]);

  const keep: Keep = function* (ids, context, isIndexed) {
    yield* write(yield* rowsOf(ids, context), context, isIndexed);
  };

  /** Most rows are made of what the transaction knows; the others are read. */
  function* rowsOfChanged(changed: readonly Affected[], context: KeptContext): Work<SqlValue[][]> {
    const [made, unknown]: [SqlValue[][], SqlValue[]] = [[], []];
    for (const one of changed) {
      const rows = rowsAfter(one, context);
      if (rows) made.push(...rows);
      else unknown.push(one.rowId);
    }
    return unknown.length === 0 ? made : [...made, ...(yield* rowsOf(unknown, context))];
  }

  function* write(
    made: readonly SqlValue[][],
    context: KeptContext,
    isIndexed: boolean,
  ): Work<void> {
    const { dialect } = context;
    if (made.length === 0) return;
    const rows = yield* withFreeKeys(made, kept, context);
    // In the order of the table: an index of words writes a part of its own for a key before the last one.
    rows.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const insert of dialect.insertRows(`${kept} (${columns.join(', ')})`, rows))
      yield* tell(insert);
    if (!isIndexed) return;
    const texts = rows.map((row) => {
      const [text, list] = [row[words] ?? null, row[marks] ?? null];
      return {
        key: row[0],
        words: text === null ? null : String(text),
        marks: list === null ? null : (JSON.parse(String(list)) as string[]),
      };
    });
    for (const insert of dialect.words.addRows(kept, texts)) yield* tell(insert);
  }

  /** By the columns that they set. */
  const updates = new Map<string, Sql>();
  function updateOf(places: readonly number[]): Sql {
    const sets = places.map((place) => `${columns[place]} = `);
    const key = sets.join();
    const known = updates.get(key);
    if (known) return known;
    const assigned = sets.map((set) => sql`${raw(set)}${slot('value')}`);
    const update = sql`update ${raw(kept)} set ${join(assigned)}
      where id = ${slot('id')} and audience = ${slot('audience')}`;
    updates.set(key, update);
    return update;
  }

  /** Those of these objects that not everybody sees as they are stored. */
  function* insideOf(ids: readonly SqlValue[], { dialect }: KeptContext): Work<Set<number>> {
    const rows = yield* ask(
      sql`select id from ${raw(kept)} where id ${amongRows(ids, dialect)} and ${inside}`,
    );
    return new Set(rows.map(([one]) => Number(one)));
  }

  /** Sets columns of rows that there are. @param rows all of these objects, or those for insiders alone */
  function* set(
    rows: readonly SqlValue[][],
    ids: readonly SqlValue[],
    changed: ReadonlySet<string>,
    { dialect }: KeptContext,
  ): Work<void> {
    const [others, insiders] = [placesOf(changed), insidePlacesOf(changed)];
    const isOfAll = others.includes(words);
    const these = sql`from ${raw(kept)} where id ${amongRows(ids, dialect)}`;
    const ofThese = isOfAll ? these : sql`${these} and ${inside}`;
    const isReindexed = isOfAll || (insiders.includes(words) && rows.some(isInside));
    const [dropped, added] = [
      dialect.words.drop(indexed, ofThese),
      dialect.words.add(indexed, ofThese),
    ];
    if (isReindexed && dropped) yield* tell(dropped);
    for (const row of rows) {
      const places = isInside(row) ? insiders : others;
      if (places.length === 0) continue;
      const values = [...places, id, audience].map((place) => row[place] ?? null);
      yield* tell({ sql: updateOf(places), values });
    }
    if (isReindexed && added) yield* tell(added);
  }

  const isInside = (row: readonly SqlValue[]): boolean => row[audience] === AUDIENCE.insiders;

  function* change(
    objects: readonly Affected[],
    changed: ReadonlySet<string>,
    context: KeptContext,
  ): Work<void> {
    if (insidePlacesOf(changed).length === 0) return;
    const ids = objects.map(({ rowId }) => rowId);
    const isOfAll = placesOf(changed).length > 0;
    const concerned = isOfAll ? null : yield* insideOf(ids, context);
    const some = concerned ? objects.filter(({ rowId }) => concerned.has(Number(rowId))) : objects;
    if (some.length > 0) yield* set(yield* rowsOfChanged(some, context), ids, changed, context);
  }

  function* mark(ids: readonly SqlValue[], context: KeptContext): Work<void> {
    const some = [...(yield* insideOf(ids, context))];
    if (some.length === 0) return;
    const rows = (yield* rowsOf(some, context)).filter(isInside);
    yield* set(rows, some, new Set(maker.marking), context);
  }

  /** Those of which a row is not where its time is: a key that was taken may be among the next ones. */
  function* misplaced(ids: readonly SqlValue[], { dialect }: KeptContext): Work<SqlValue[]> {
    const start = raw(time ? `k.${time.columns[1]}` : 'null');
    const rows = yield* ask(
      sql`select k.id, cast(k.key as text), ${start} from ${raw(`${kept} k`)} where k.id ${amongRows(ids, dialect)}`,
    );
    return rows
      .filter(([, key, since = null]) => {
        const beyond = BigInt(String(key)) - leastKey(since === null ? null : Number(since));
        return beyond < 0n || beyond >= 2n << BITS;
      })
      .map(([one = null]) => one);
  }

  function* differing(ids: readonly SqlValue[], context: KeptContext): Work<SqlValue[]> {
    const { dialect } = context;
    const keys = [id, audience];
    const others = columns.flatMap((_, at) => (at === 0 || keys.includes(at) ? [] : at));
    const places = [...keys, ...others];
    const rows = (yield* rowsOf(ids, context)).map((row) => places.map((at) => row[at] ?? null));
    const names = places.map((at) => columns[at] ?? '');
    const found = yield* differingRows(
      { table: kept, columns: names, keys: keys.length, rows },
      ids,
      dialect,
    );
    return [...found, ...(yield* misplaced(ids, context))];
  }

  return {
    keep,
    differing,
    *keepAfter(changed, context) {
      yield* write(yield* rowsOfChanged(changed, context), context, true);
    },
    staysInPlace: (changed) => ![...changed].some((name) => fixed.has(name)),
    change,
    mark,
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
