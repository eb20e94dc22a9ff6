/** Finds objects by what is unique of them. */
import type { SqlValue } from '../database/sql';
import { raw, sql } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Model } from './model';
import type { Body } from '../declare/objects';
import { normalize } from '../validate/value';

/** Keys of one statement. */
const TOGETHER = 500;

/** The IDs of the objects that have these values in the fields of a unique rule, the oldest first. */
export function* findHolders(
  model: Model,
  type: string,
  all: readonly Body[],
): Work<readonly (readonly string[])[]> {
  const { resource } = model.type(type);
  const names = Object.keys(all[0] ?? {})
    .sort()
    .join();
  const rule = resource.unique.find(({ fields }) => [...fields].sort().join() === names);
  if (!rule) throw new RangeError(`${type} has no unique rule of ${names}`);
  const keys = all.map((values) => {
    const kept = Object.entries(values).map(([name, value]): [string, unknown] => {
      const field = resource.fields.get(name);
      return [name, field ? normalize(field, value) : value];
    });
    return rule.key(Object.fromEntries(kept));
  });
  const { dialect } = model.database;
  const holders = new Map<SqlValue, readonly string[]>();
  const column = raw(rule.column);
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const some = keys.slice(at, at + TOGETHER).filter((key) => key !== null);
    if (some.length === 0) continue;
    const list = dialect.jsonItems(sql`${JSON.stringify(some)}`);
    const rows = yield* ask(
      sql`select ${column}, document_id from ${raw(resource.table)}
        where ${column} ${dialect.among(sql`select j.value from ${list}`)} order by id`,
    );
    for (const [key = null, id] of rows)
      holders.set(key, [...(holders.get(key) ?? []), String(id)]);
  }
  return keys.map((key) => (key === null ? [] : (holders.get(key) ?? [])));
}
