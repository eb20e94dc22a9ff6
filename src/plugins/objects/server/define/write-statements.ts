/** The SQL that changes an object's row, compiled once per type, and the conversion of values to columns. */
import type { Dialect } from '../database/database';
import { join, raw, slot, sql, type Sql, type SqlValue, type Statement } from '../database/sql';
import type { Field, Resource, Resources, Unique } from '../declare/completed';
import { definitionOf } from '../kinds';
import { inView, keptViews, type KeptView } from '../declare/views';
import { DEFAULT_SITE } from '../site/settings';
import type { Body } from '../declare/objects';

/** The statements that write one type. Their texts are few, so that they are kept prepared. */
export interface WriteStatements {
  /** Gives the ID with that of the row. */
  insert(id: string, object: Body, now: number, dialect: Dialect): Statement;
  /**
   * Inserts many, and gives their IDs with those of their rows.
   *
   * @param rowOf the row ID of an object that one refers to
   * @param rowIds those of the new rows, if they are known: then it gives nothing
   */
  insertAll(
    objects: readonly (readonly [id: string, object: Body])[],
    now: number,
    dialect: Dialect,
    rowOf: (type: string, id: SqlValue) => SqlValue,
    rowIds: readonly SqlValue[],
  ): readonly Statement[];
  /** Sets the columns whose values differ, so that no index of another one is written. */
  update(
    rowId: SqlValue,
    change: { readonly before: Body; readonly after: Body },
    now: number,
    dialect: Dialect,
  ): Statement;
  remove(rowId: SqlValue): Statement;
}

/** The columns that the writer sets itself: identity, version and times. */
const OF_THE_WRITER = new Set(['id', 'version', 'created_at', 'updated_at']);

const storedFields = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(
    ({ name, columns, figure, computed }) =>
      columns.length > 0 && figure === null && computed === null && !OF_THE_WRITER.has(name),
  );

/** Unique rules whose key has its own column. */
export function keyed({ fields, unique }: Resource): Unique[] {
  const own = new Set([...fields.values()].flatMap((field) => field.columns));
  return unique.filter((rule) => !own.has(rule.column));
}

const keptIn = ({ fields }: Resource): KeptView<Field>[] => [...fields.values()].flatMap(keptViews);

/** The columns of an object's values, each with the SQL of its parameter. */
function assignments(resource: Resource, resources: Resources): [column: Sql, value: Sql][] {
  const value = sql`${slot('value')}`;
  return [
    ...storedFields(resource).flatMap(({ columns, to }) => {
      const target = to === null ? undefined : resources.get(to);
      const into = target
        ? sql`(select id from ${raw(target.table)} where document_id = ${value})`
        : value;
      return columns.map((column): [Sql, Sql] => [raw(column), into]);
    }),
    ...keyed(resource).map((rule): [Sql, Sql] => [raw(rule.column), value]),
    ...keptIn(resource).flatMap(({ columns }) =>
      columns.map((column): [Sql, Sql] => [raw(column), value]),
    ),
  ];
}

/** The sets of columns of one type that have a statement of their own: whatever else changes, all of them are set. */
const MAX_UPDATES = 100;

/** Compiles the statements of a type. */
export function compileWrites(resource: Resource, resources: Resources): WriteStatements {
  const table = raw(resource.table);
  const values = assignments(resource, resources);
  const given = sql`${slot('value')}`;
  // Strapi sets published_at for types without drafts.
  const fixed = ['document_id', 'version', 'created_at', 'updated_at', 'published_at'];
  // A figure of nothing yet, such as a number of objects.
  const figures = [...resource.fields.values()].flatMap(
    ({ columns: [full], figure, default: none }) =>
      figure && none !== null
        ? [full, figure.columns[0], ...(figure.wider ? [figure.wider.column] : [])].map(
            (name) => [name, none] as const,
          )
        : [],
  );
  const columns = [
    ...fixed.map(raw),
    ...values.map(([column]) => column),
    ...figures.map(([name]) => raw(name ?? '')),
  ];
  const inserted = [
    ...fixed.map(() => given),
    ...values.map(([, value]) => value),
    ...figures.map(([, none]) => raw(JSON.stringify(none))),
  ];
  const into = `${resource.table} (${join(columns).sqlite})`;
  const intoKnown = `${resource.table} (id, ${join(columns).sqlite})`;
  /** What each of the encoded columns refers to. */
  const referring = storedFields(resource).flatMap(({ columns: own, to }) =>
    own.map(() => (to !== null && resources.has(to) ? to : null)),
  );

  const insert = sql`insert into ${table} (${join(columns)}) values (${join(inserted)})`;
  const all = values.map((_, place) => place);
  const updates = new Map<string, Sql>();
  const updateOf = (places: readonly number[]): Sql => {
    const key = places.join();
    const known = updates.get(key);
    if (known) return known;
    const sets = places.flatMap((place) => {
      const [column, value] = values[place] ?? [];
      return column && value ? sql`, ${column} = ${value}` : [];
    });
    const update = sql`update ${table} set version = version + 1, updated_at = ${given}${join(sets, '')} where id = ${given}`;
    updates.set(key, update);
    return update;
  };
  const remove = sql`delete from ${table} where id = ${given}`;

  const [keys, views] = [keyed(resource), keptIn(resource)];
  const fields = storedFields(resource).map(({ name, kind }) => ({ name, in: definitionOf(kind) }));
  const encode = (object: Body, dialect: Dialect): SqlValue[] => {
    const encoded: SqlValue[] = [];
    for (const field of fields)
      for (const value of field.in.encode(object[field.name], dialect)) encoded.push(value);
    for (const rule of keys) encoded.push(rule.key(object));
    for (const { field, view } of views) {
      const value = inView(field, view, object, DEFAULT_SITE) ?? null;
      encoded.push(...definitionOf(field.kind).encode(value, dialect));
    }
    return encoded;
  };
  return {
    insert(id, object, now, dialect) {
      const at = dialect.instant(now);
      return dialect.insertRow(insert, 'document_id', [
        id,
        1,
        at,
        at,
        at,
        ...encode(object, dialect),
      ]);
    },
    insertAll(objects, now, dialect, rowOf, rowIds) {
      const at = dialect.instant(now);
      const none = figures.map(([, value]) => value as SqlValue);
      const isKnown = rowIds.length > 0;
      const rows = objects.map(([id, object], place) => {
        const encoded = encode(object, dialect).map((value, column) => {
          const type = referring[column] ?? null;
          return type === null || value === null ? value : rowOf(type, value);
        });
        const row = [id, 1, at, at, at, ...encoded, ...none];
        return isKnown ? [rowIds[place] ?? null, ...row] : row;
      });
      return isKnown
        ? dialect.insertRows(intoKnown, rows)
        : dialect.insertRows(into, rows, 'document_id');
    },
    update(rowId, { before, after }, now, dialect) {
      const [was, is] = [encode(before, dialect), encode(after, dialect)];
      const changed = all.filter((place) => was[place] !== is[place]);
      const places = updates.size < MAX_UPDATES || updates.has(changed.join()) ? changed : all;
      const given = places.map((place) => is[place] ?? null);
      return { sql: updateOf(places), values: [dialect.instant(now), ...given, rowId] };
    },
    remove: (rowId) => ({ sql: remove, values: [rowId] }),
  };
}
