/**
 * Tells strangers of what is not open, on its date (contract, section 6, "When"). `told_from` and `untold_since` are facts
 * that are stored with an encounter or individual: no rebuild computes them. Who is told by the first of them reads, lists
 * and searches go by the second: it is cleared in the transaction that makes the row by which strangers find the object.
 */
import {
  ALWAYS,
  raw,
  sql,
  type Sql,
  type SqlValue,
} from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Work } from '../../plugins/objects/server/database/work';
import type { Kept, KeptContext } from '../../plugins/objects/server/declare/behavior';
import type { PrivacySettings } from '../../plugins/objects/server/site/settings';
import { dateOf, telling, type Telling } from './domain/told-from';
import { storedLevel, viewLevel } from './privacy';

/** Objects that are told late. */
export interface ToldLate {
  readonly table: string;
  /** The number of the strangers' view of the object in the row `e`. */
  readonly level: (privacy: PrivacySettings) => Sql;
  readonly viewOf: (level: number, privacy: PrivacySettings) => number;
  /** What follows for rows that strangers are told of by now. */
  readonly follow: (ids: readonly SqlValue[], context: KeptContext) => Work<void>;
}

export const encounters: ToldLate = {
  table: 'encounters',
  level: (privacy) => storedLevel('e', privacy),
  viewOf: viewLevel,
  follow: (ids, context) => context.renewSearch('encounter', ids),
};

/** What strangers are not told, with what its date is by the level as it is now. */
interface Untold {
  readonly id: SqlValue;
  readonly since: string;
  readonly from: SqlValue;
  readonly now: Telling;
}

/** @param which a condition on the row `e`, with the order and limit of what is looked at */
function* untold(late: ToldLate, which: Sql, context: KeptContext): Work<readonly Untold[]> {
  const { dialect, site, now } = context;
  const { tellHidden } = site;
  const today = dateOf(now);
  const rows = yield* ask(
    sql`select e.id, ${late.level(site)}, e.untold_since, e.told_from from ${raw(late.table)} e
      where e.untold_since is not null and ${which}${dialect.forUpdate('e')}`,
  );
  return rows.map(([id = null, number, since, from = null]) => {
    const level = late.viewOf(Number(number), site);
    const waiting = { since: String(since), level, today, tellHidden };
    return { id, since: waiting.since, from, now: telling(waiting) };
  });
}

function* write(
  { table }: ToldLate,
  changed: readonly (readonly [id: SqlValue, now: Telling])[],
  { dialect }: KeptContext,
): Work<void> {
  if (changed.length === 0) return;
  const rows = changed.map(([id, now]) => [id, now.told_from, now.untold_since]);
  const list = dialect.jsonRows(sql`${JSON.stringify(rows)}`, [
    { name: 'id', type: 'integer' },
    { name: 'told_from', type: 'text' },
    { name: 'untold_since', type: 'text' },
  ]);
  yield* ask(
    sql`update ${raw(table)} as o set told_from = r.told_from, untold_since = r.untold_since
      from ${list} where o.id = r.id`,
  );
}

/**
 * Dates anew what strangers are not told yet, after its level may have changed. What they are to be told by that is left to
 * the job, in its order.
 */
export function* dateAnew(late: ToldLate, which: Sql, context: KeptContext): Work<void> {
  const found = yield* untold(late, sql`${which} order by e.id`, context);
  const changed = found.filter(({ from, now }) => from !== now.told_from);
  const dated = ({ id, since, now }: Untold) => [id, { ...now, untold_since: since }] as const;
  yield* write(late, changed.map(dated), context);
}

/** Whether the site settings are those that are stored. */
export function* isOfNow({ site }: KeptContext): Work<boolean> {
  const row = yield* askOne(sql`select version from site_settings`);
  return Number(row?.[0] ?? 0) === site.version;
}

/**
 * Tells the next of what is due: in the order of IDs, which is that of nothing else. What is not due by its level as it is
 * now is dated anew. A service that was down tells what has become due meanwhile.
 *
 * @param most objects that are told in one transaction
 * @returns whether there may be more
 */
function* tellNext(late: ToldLate, context: KeptContext, most: number): Work<boolean> {
  const { site, now, dialect } = context;
  const isDue = (date: Sql): Sql =>
    site.tellHidden === 'at_once' ? ALWAYS : sql`${date} <= ${dateOf(now)}`;
  const any = yield* ask(
    sql`select 1 from ${raw(late.table)} e where e.untold_since is not null and ${isDue(raw('e.told_from'))} limit 1`,
  );
  if (any.length === 0) return false;
  const lock = dialect.lock('privacy');
  if (lock) yield* ask(lock);
  // Settings that have changed meanwhile have to be read first.
  if (!(yield* isOfNow(context))) return true;
  // Not the column itself: by the index of dates all that is due would be sorted for each part.
  const next = sql`${isDue(raw(`(e.told_from || '')`))} order by e.document_id limit ${most}`;
  const found = yield* untold(late, next, context);
  yield* write(
    late,
    found.map(({ id, now: dated }) => [id, dated]),
    context,
  );
  const told = found.flatMap(({ id, now: { untold_since: since } }) =>
    since === null ? [id] : [],
  );
  if (told.length > 0) yield* late.follow(told, context);
  return true;
}

/** Tells strangers of objects of a type, in the background. */
export const toldLate = (type: string, late: ToldLate): Kept => ({
  name: 'telling',
  of: type,
  fields: [],
  keptIn: [],
  *follow() {
    // What a change tells is settled with it.
  },
  *rebuild() {
    // Facts, which no rebuild can compute.
  },
  later: (context, most) => tellNext(late, context, most),
  isUnhurried: true,
});
