/**
 * What figures count of the encounters of individuals: a row for each encounter with an individual, by whom the figure is
 * for. Its index gives the first and last time of each audience, however many encounters are hidden, and a change is seen
 * by the rows that it replaces.
 */
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, tell, type Row, type Work } from '../../plugins/objects/server/database/work';
import type { KeptCheck, KeptContext } from '../../plugins/objects/server/declare/behavior';
import { COUNTED, COUNTED_COLUMNS } from './figure-columns';

/** Who counts an encounter beside moderators: everybody; of what is hidden or not approved its owner alone, if it has one. */
export const COUNTED_BY_EVERYBODY = 0;
const NOBODY = -1;

/** A time: its text, and the span that it covers in milliseconds. */
export type Seen = readonly [text: string | null, start: number | null, end: number | null];

/** A row, its times as numbers. */
interface Counted {
  readonly encounter: number;
  readonly individual: number;
  readonly audience: number;
  readonly time: Seen;
}

/** The numbers by which figures of an individual change. */
export interface Difference {
  readonly individual: number;
  readonly audience: number;
  readonly by: 1 | -1;
  readonly time: Seen;
}

type Context = Pick<KeptContext, 'dialect'>;

const NAMES = [COUNTED_COLUMNS.key, ...COUNTED_COLUMNS.columns].map(raw);

/** What is counted of the encounters `e`, whose generalized values are `g`. */
const VALUES = join([
  raw('e.id as encounter, e.individual_id as individual'),
  raw(`case when e.state = 'approved' and g.encounter is null then ${COUNTED_BY_EVERYBODY}
    else coalesce(e.owner_id, ${NOBODY}) end as audience`),
  raw('e.time, e.time_start, e.time_end'),
]);

const STORED = sql`select ${VALUES} from encounters e left join oms_generalized g on g.encounter = e.id
  where e.individual_id is not null`;

/** PostgreSQL gives whole numbers of this size as texts. */
export const numberIn = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const read = ([encounter, individual, audience, time = null, start, end]: Row): Counted => ({
  encounter: Number(encounter),
  individual: Number(individual),
  audience: Number(audience),
  time: [time === null ? null : String(time), numberIn(start), numberIn(end)],
});

const keyOf = ({ individual, audience, time }: Counted): string =>
  JSON.stringify([individual, audience, time]);

const ANEW = sql`on conflict (encounter) do update set
  ${join(COUNTED_COLUMNS.columns.map((name) => raw(`${name} = excluded.${name}`)))}`;

const COLUMNS = [
  { name: 'encounter', type: 'integer' },
  { name: 'individual', type: 'integer' },
  { name: 'audience', type: 'integer' },
  { name: 'time', type: 'text' },
  { name: 'time_start', type: 'bigint' },
  { name: 'time_end', type: 'bigint' },
] as const;

/**
 * Counts these encounters as they are stored now.
 *
 * @param areNew whether none of them has been counted
 * @returns what has changed
 */
export function* countAnew(
  encounters: readonly SqlValue[],
  { dialect }: Context,
  areNew = false,
): Work<readonly Difference[]> {
  const these = amongRows(encounters, dialect);
  const before = areNew
    ? []
    : yield* ask(sql`select ${join(NAMES)} from ${raw(COUNTED)} where encounter ${these}`);
  const after = yield* ask(sql`${STORED} and e.id ${these}`);
  const was = new Map(before.map(read).map((one) => [one.encounter, one]));
  const is = new Map(after.map(read).map((one) => [one.encounter, one]));
  const isSame = (one: Counted): boolean => {
    const [old, now] = [was.get(one.encounter), is.get(one.encounter)];
    return old !== undefined && now !== undefined && keyOf(old) === keyOf(now);
  };
  const [lost, gained] = [[...was.values()], [...is.values()]].map((all) =>
    all.filter((one) => !isSame(one)),
  ) as [Counted[], Counted[]];
  const gone = lost.flatMap(({ encounter }) => (is.has(encounter) ? [] : [encounter]));
  if (gone.length > 0)
    yield* tell(dialect.changeRows(sql`delete from ${raw(COUNTED)} where encounter`, gone));
  yield* keep(gained, dialect);
  return [
    ...lost.map((one): Difference => ({ ...one, by: -1 })),
    ...gained.map((one): Difference => ({ ...one, by: 1 })),
  ];
}

function* keep(rows: readonly Counted[], dialect: Context['dialect']): Work<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ encounter, individual, audience, time }) => [
    ...[encounter, individual, audience],
    ...time,
  ]);
  const list = dialect.jsonRows(sql`${JSON.stringify(values)}`, COLUMNS);
  const selected = join(COLUMNS.map(({ name }) => raw(`r.${name}`)));
  yield* tell(
    sql`insert into ${raw(COUNTED)} (${join(NAMES)}) select ${selected} from ${list} where 1 = 1 ${ANEW}`,
  );
}

/** The condition that what is counted is of no encounter. @param which else is true of those that are meant */
const isOfNone = (which = raw('')): Sql =>
  sql`not exists (select 1 from encounters e where e.id = ${raw(COUNTED)}.encounter${which})`;

/** Counts all encounters by what is stored. */
export function* countAll(): Work<void> {
  yield* ask(
    sql`delete from ${raw(COUNTED)} where ${isOfNone(sql` and e.individual_id is not null`)}`,
  );
  yield* ask(sql`insert into ${raw(COUNTED)} (${join(NAMES)}) ${STORED} ${ANEW}`);
}

/** What of each encounter is counted otherwise than it is stored. */
export const countedCheck: KeptCheck = {
  kind: 'figures',
  over: 'encounter',
  *differing(ids, { dialect }) {
    const these = amongRows(ids, dialect);
    const other = COUNTED_COLUMNS.columns.map(
      (name) => sql`${raw(`c.${name}`)} is distinct from ${raw(`s.${name}`)}`,
    );
    const rows = yield* ask(
      sql`select s.encounter from (${STORED} and e.id ${these}) s
          left join ${raw(`${COUNTED} c`)} on c.encounter = s.encounter
          where c.encounter is null or ${join(other, ' or ')}
        union all select e.id from encounters e join ${raw(`${COUNTED} c`)} on c.encounter = e.id
          where e.individual_id is null and e.id ${these}`,
    );
    return rows.map(([id = null]) => id);
  },
  *renew(ids, context) {
    yield* countAnew(ids, context);
  },
  gone: {
    find: sql`select encounter from ${raw(COUNTED)} where ${isOfNone()}`,
    *drop() {
      yield* ask(sql`delete from ${raw(COUNTED)} where ${isOfNone()}`);
    },
  },
};

/** The rows of an individual, whose alias is `o`, for some audience. */
export const countedFor = (audience: Sql): Sql =>
  sql`from ${raw(COUNTED)} c where c.individual = o.id and c.audience = ${audience}`;
