/**
 * The figures of individuals: the number of encounters, the first and the last time. There are three sets: of all
 * encounters; of those that anybody is told of, which are approved and open; and of these and those that the individual's
 * owner has reported. Stored with the individual, in the transaction of each change of an encounter or of an owner.
 *
 * Rows are locked before anything is counted: of two concurrent changes, the second one counts the result of the first.
 */
import { parseWritten } from '../../core/time';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Row, type Work } from '../../plugins/objects/server/database/work';
import type { Affected, Kept, KeptContext } from '../../plugins/objects/server/declare/behavior';
import { dateOf } from '../encounter/domain/told-from';
import {
  countAll,
  countAnew,
  countedFor,
  COUNTED_BY_EVERYBODY,
  numberIn,
  type Difference,
  type Seen,
} from './counted';
import {
  COUNTED_COLUMNS,
  FIGURE_COLUMNS,
  FIGURES,
  type FigureAudience,
  type End,
  type Figure,
} from './figure-columns';

type Context = Pick<KeptContext, 'dialect' | 'now'>;

/** Individuals that are computed at once. */
const CHUNK = 1000;

/** A change of many encounters contains only the field that it changes: the individual may be another one. */
const mayCount = ({ before, after }: Affected): boolean =>
  [before, after].some((state) => state !== null && state['individual'] !== null);

function* follow(affected: readonly Affected[], context: KeptContext): Work<void> {
  const counted = affected.filter(mayCount);
  if (counted.length === 0) return;
  const areNew = counted.every(({ before }) => before === null);
  const ids = counted.map(({ rowId }) => rowId);
  yield* apply(yield* countAnew(ids, context, areNew), context);
}

/** The figures of the individuals of these encounters, after what strangers are told of them has changed. */
export function* renewFigures(encounters: readonly SqlValue[], context: Context): Work<void> {
  if (encounters.length > 0) yield* apply(yield* countAnew(encounters, context), context);
}

/** Brings the figures of individuals to what is counted now. */
function* apply(differences: readonly Difference[], context: Context): Work<void> {
  if (differences.length === 0) return;
  const { dialect } = context;
  const concerned = [...new Set(differences.map(({ individual }) => individual))];
  const rows = yield* ask(
    sql`select i.id, i.owner_id, ${PRESENT} from individuals i where i.id ${amongRows(concerned, dialect)}
      order by i.id${dialect.forNoKeyUpdate}`,
  );
  const stored = new Map(rows.map((row) => [Number(row[0]), row]));
  const owners = new Map(rows.map(([id, owner]) => [Number(id), Number(owner ?? Number.NaN)]));
  const changes = new Map(concerned.map((id) => [id, { all: 0, told: 0, own: 0 }]));
  for (const { individual, audience, by } of differences) {
    const change = changes.get(individual);
    if (!change) continue;
    const isTold = audience === COUNTED_BY_EVERYBODY;
    change.all += by;
    if (isTold) change.told += by;
    if (isTold || audience === owners.get(individual)) change.own += by;
  }
  const changed = [...changes]
    .filter(([, { all, told, own }]) => all !== 0 || told !== 0 || own !== 0)
    .map(([id, { all, told, own }]) => [id, all, told, own]);
  if (changed.length > 0) {
    const list = dialect.jsonRows(sql`${JSON.stringify(changed)}`, [
      { name: 'id', type: 'integer' },
      { name: 'more', type: 'integer' },
      { name: 'told', type: 'integer' },
      { name: 'own', type: 'integer' },
    ]);
    yield* ask(
      sql`update individuals as o set encounter_count = o.encounter_count + r.more,
        public_encounter_count = o.public_encounter_count + r.told,
        own_encounter_count = o.own_encounter_count + r.own from ${list} where o.id = r.id`,
    );
    yield* tellWithOpen(
      changed.flatMap(([id = null, , told]) => (Number(told) > 0 ? [id] : [])),
      context,
    );
  }
  const moved = FIGURES.filter((figure) => mayMove(figure, differences, stored));
  if (moved.length > 0) yield* setTimes(concerned, moved, context);
}

/** Tells strangers of individuals that an open encounter tells: they read it, and whose it is, as it is stored. */
function* tellWithOpen(ids: readonly SqlValue[], { dialect, now }: Context): Work<void> {
  if (ids.length === 0) return;
  yield* ask(
    sql`update individuals set told_from = ${dateOf(now)}, untold_since = null
      where id ${amongRows(ids, dialect)} and untold_since is not null`,
  );
}

const NAMES = FIGURES.flatMap(({ columns }) => columns);
const PRESENT = raw(NAMES.map((name) => `i.${name}`).join());

/** The present value of a figure in a row with those of `PRESENT` after the ID and the owner. */
function presentOf({ columns }: Figure, row: Row): Seen {
  const at = 2 + NAMES.indexOf(columns[0] ?? '');
  const text = row[at] ?? null;
  if (text === null) return [null, null, null];
  if (columns.length > 1) return [String(text), numberIn(row[at + 1]), numberIn(row[at + 2])];
  const span = parseWritten(String(text))?.local;
  return [String(text), span?.start ?? null, span?.end ?? null];
}

/**
 * Whether these differences may move a figure of some individual: what is lost always may; what is gained only where it is
 * before the first or after the last.
 */
function mayMove(
  figure: Figure,
  differences: readonly Difference[],
  stored: ReadonlyMap<number, Row>,
): boolean {
  return differences.some(({ individual, audience, by, time }) => {
    const row = stored.get(individual);
    if (!row) return false;
    const isTold = audience === COUNTED_BY_EVERYBODY;
    const isOwn = isTold || audience === Number(row[1] ?? Number.NaN);
    if (!{ all: true, public: isTold, own: isOwn }[figure.of]) return false;
    return by < 0 || (time[1] !== null && !isBeyond(figure.end, presentOf(figure, row), time));
  });
}

/** Whether a time is before another one that is the first, or after one that is the last. One with the same span may be. */
function isBeyond(end: End, present: Seen, [text, start, last]: Seen): boolean {
  if (present[1] === null || present[2] === null || start === null || last === null) return false;
  if (present[1] === start && present[2] === last) return present[0] === text;
  const isBefore = present[1] < start || (present[1] === start && present[2] < last);
  return end === 'first' ? isBefore : !isBefore;
}

/** A time is its text with the span that it covers: the order is by start, then end. */
const order = (end: End, alias: string): Sql =>
  raw(
    ['time_start', 'time_end', 'time']
      .map((column) => `${alias}.${column}${end === 'last' ? ' desc' : ''}`)
      .join(', '),
  );

/** The encounters of an individual, whose alias is `o`. */
const ROWS: Readonly<Record<FigureAudience, readonly Sql[]>> = {
  all: [raw('from encounters c where c.individual_id = o.id')],
  public: [countedFor(raw(String(COUNTED_BY_EVERYBODY)))],
  own: [countedFor(raw(String(COUNTED_BY_EVERYBODY))), countedFor(raw('o.owner_id'))],
};

/** The best time of some of them, by the end of an index. */
const bestOf = (rows: Sql, end: End): Sql =>
  sql`select c.time, c.time_start, c.time_end ${rows} and c.time_start is not null
    order by ${order(end, 'c')} limit 1`;

function best({ end, of, columns }: Figure): Sql {
  const parts = ROWS[of].map((rows) => sql`select p.* from (${bestOf(rows, end)}) p`);
  const values = ['time', 'time_start', 'time_end'].slice(0, columns.length);
  return sql`select ${raw(values.map((name) => `b.${name}`).join(', '))} from (${join(parts, ' union all ')}) b
    order by ${order(end, 'b')} limit 1`;
}

/** Sets these times of individuals. */
function* setTimes(
  ids: readonly SqlValue[],
  figures: readonly Figure[],
  { dialect }: Context,
): Work<void> {
  if (ids.length === 0) return;
  const sets = figures.map((figure) => {
    const [column, ...further] = figure.columns;
    return further.length === 0
      ? sql`${raw(column ?? '')} = (${best(figure)})`
      : sql`(${join(figure.columns.map(raw))}) = (${best(figure)})`;
  });
  yield* ask(sql`update individuals as o set ${join(sets)} where o.id ${amongRows(ids, dialect)}`);
}

const numberOf = (rows: Sql): Sql => sql`(select count(*) ${rows})`;
const TOLD = numberOf(countedFor(raw(String(COUNTED_BY_EVERYBODY))));
const OF_OWNER = numberOf(countedFor(raw('o.owner_id')));

function* rebuild(context: KeptContext): Work<void> {
  const { dialect } = context;
  yield* countAll();
  let last: SqlValue = 0;
  for (;;) {
    const rows: readonly Row[] = yield* ask(
      sql`select i.id from individuals i where i.id > ${last} order by i.id limit ${raw(String(CHUNK))}${dialect.forNoKeyUpdate}`,
    );
    const ids = rows.map(([id = null]) => id);
    if (ids.length > 0) {
      const all = numberOf(raw('from encounters e where e.individual_id = o.id'));
      yield* ask(
        sql`update individuals as o set encounter_count = ${all}, public_encounter_count = ${TOLD},
          own_encounter_count = ${TOLD} + ${OF_OWNER} where o.id ${amongRows(ids, dialect)}`,
      );
      yield* setTimes(ids, FIGURES, context);
    }
    if (ids.length < CHUNK) return;
    last = ids.at(-1) ?? null;
  }
}

export const figures: Kept = {
  name: 'figures',
  of: 'encounter',
  fields: [
    ...['individual', 'state', 'time', 'owner'],
    ...['taxonomy', 'protected_as', 'location_privacy'],
  ],
  keptIn: [COUNTED_COLUMNS, FIGURE_COLUMNS],
  follow,
  followsAtOnce: true,
  rebuild,
};

/** What the owner of an individual reads of the own encounters, after it has come to another one. */
export const figuresOfOwners: Kept = {
  name: 'figures_of_owners',
  of: 'individual',
  fields: ['owner'],
  keptIn: [],
  followsAtOnce: true,
  *follow(affected, context) {
    const ids = affected
      .filter(({ before, after }) => before !== null && after !== null)
      .map(({ rowId }) => rowId);
    if (ids.length === 0) return;
    yield* ask(
      sql`update individuals as o set own_encounter_count = o.public_encounter_count + ${OF_OWNER}
        where o.id ${amongRows(ids, context.dialect)}`,
    );
    yield* setTimes(
      ids,
      FIGURES.filter(({ of }) => of === 'own'),
      context,
    );
  },
  *rebuild() {
    // It is `figures` that is made anew.
  },
};
