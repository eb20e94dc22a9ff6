/**
 * What strangers are given of encounters that are not open, kept in `oms_generalized` for lists, searches and figures
 * (`privacy.ts`).
 */
import { isUuid } from '../../core/formats';
import { parseTime } from '../../core/time';
import { differingRows } from '../../plugins/objects/server/database/compare-rows';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, tell, type Row, type Work } from '../../plugins/objects/server/database/work';
import type {
  Affected,
  Kept,
  KeptCheck,
  KeptColumns,
  KeptContext,
} from '../../plugins/objects/server/declare/behavior';
import { advance, isConcerned, nextJob, queueAll } from './privacy-jobs';
import type { SiteSettings } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { lowerPhotographs, raisePhotographs } from '../asset/photographs';
import { renewFigures } from '../individual/figures';
import { dateIndividuals } from '../individual/telling';
import { GENERALIZATION, generalTime, obscuredPlace } from './domain/generalize';
import { learnLevels, learnProtection } from './levels';
import { knownLevel, LEVELS, storedLevel, viewLevel } from './privacy';
import { protectMoved } from './protected-as';
import { dateAnew, encounters, isOfNow } from './telling';

/** What is kept of one encounter that is not open. */
function keptRow(id: SqlValue, level: number, encounter: Body, site: SiteSettings): SqlValue[] {
  const name = LEVELS[level - 1] ?? 'private';
  const place = name === 'obscured' ? obscuredPlace(encounter, site.regions) : null;
  const time = generalTime(encounter['time'], name);
  const span = time === null ? null : parseTime(time);
  return [
    ...[id, level, place?.latitude ?? null, place?.longitude ?? null, place?.location_id ?? null],
    ...[time, span?.start ?? null, span?.end ?? null],
  ];
}

const COLUMNS = [
  { name: 'id', type: 'integer' },
  { name: 'level', type: 'integer' },
  { name: 'latitude', type: 'double precision' },
  { name: 'longitude', type: 'double precision' },
  { name: 'location_id', type: 'text' },
  { name: 'time', type: 'text' },
  { name: 'time_start', type: 'bigint' },
  { name: 'time_end', type: 'bigint' },
] as const;

/** What is taken from the encounter's row as it is. */
const TAKEN: Readonly<Record<string, Sql>> = {
  owner: raw('e.owner_id'),
  approved: raw(`coalesce(e.state = 'approved', false)`),
};

/** Where it is kept. */
const GENERALIZED_COLUMNS: KeptColumns = {
  table: 'oms_generalized',
  key: 'encounter',
  columns: [...Object.keys(TAKEN), 'document_id', ...COLUMNS.slice(1).map(({ name }) => name)],
};

/** Keeps these rows, in place of what was kept of the same encounters. */
function* keepRows(rows: readonly (readonly SqlValue[])[], context: KeptContext): Work<void> {
  if (rows.length === 0) return;
  const list = context.dialect.jsonRows(sql`${JSON.stringify(rows)}`, COLUMNS);
  const values = COLUMNS.slice(1).map(({ name }) => raw(name));
  const references = Object.entries(TAKEN);
  const names = [...references.map(([name]) => raw(name)), raw('document_id'), ...values];
  const selected = [
    ...references.map(([, column]) => column),
    raw('e.document_id'),
    ...COLUMNS.slice(1).map(({ name }) => raw(`r.${name}`)),
  ];
  const anew = names.map((name) => sql`${name} = excluded.${name}`);
  yield* tell(
    sql`insert into oms_generalized (encounter, ${join(names)})
      select e.id, ${join(selected)} from ${list} cross join encounters e where e.id = r.id
      on conflict (encounter) do update set ${join(anew)}`,
  );
}

function* dropRows(ids: readonly SqlValue[], context: KeptContext): Work<void> {
  if (ids.length === 0) return;
  yield* tell(context.dialect.changeRows(sql`delete from oms_generalized where encounter`, ids));
}

/** A ripple reports only the field that it has changed, which is a reference. */
const isWhole = ({ after }: Affected): boolean => after !== null && 'location_privacy' in after;

const isMoved = ({ after }: Affected): boolean => (after?.['individual'] ?? null) !== null;

function* follow(affected: readonly Affected[], context: KeptContext): Work<void> {
  const { site } = context;
  const [kept, open]: [SqlValue[][], SqlValue[]] = [[], []];
  const whole = affected.flatMap((one) => (isWhole(one) && one.after ? [one.after] : []));
  yield* learnLevels(
    whole.flatMap(({ taxonomy, protected_as: lent }) => [taxonomy, lent]),
    context,
  );
  yield* learnProtection(whole, context);
  for (const one of affected) {
    const { rowId, before, after } = one;
    if (after === null) open.push(rowId);
    else if (isWhole(one)) {
      const known = knownLevel(after, site, (question) => context.references.answer(question));
      const level = viewLevel(known ?? 0, site);
      if (level > 0) kept.push(keptRow(rowId, level, after, site));
      else if (before !== null) open.push(rowId);
    }
  }
  yield* keepRows(kept, context);
  yield* dropRows(open, context);
  yield* followRipples(
    affected.filter((one) => one.after !== null && !isWhole(one)),
    context,
  );
}

/** After changes of one reference of encounters: what is kept beside their levels, and those that are not open any more. */
function* followRipples(affected: readonly Affected[], context: KeptContext): Work<void> {
  if (affected.length === 0) return;
  const rippled = affected.map(({ rowId }) => rowId);
  const moved = affected.filter(isMoved).map(({ rowId }) => rowId);
  const closed = moved.length === 0 ? [] : yield* protectMoved(moved, context);
  if (closed.length > 0) yield* generalizeAnew(closed, context);
  const values = Object.entries(TAKEN).map(
    ([name, column]) =>
      sql`${raw(name)} = (select ${column} from encounters e where e.id = oms_generalized.encounter)`,
  );
  yield* ask(
    sql`update oms_generalized set ${join(values)} where encounter ${amongRows(rippled, context.dialect)}`,
  );
}

/** Encounters that are done by one set of statements. */
const CHUNK = 150;

/** What is kept of encounters that are there no longer. */
const OF_NONE = raw(`from oms_generalized
  where not exists (select 1 from encounters e where e.id = oms_generalized.encounter)`);

/** Drops it. */
const GONE = sql`delete ${OF_NONE}`;

/** All values but the level, which stays what it is: it decides over photographs, too. */
const WITHDRAW = sql`update oms_generalized set ${join(COLUMNS.slice(2).map(({ name }) => raw(`${name} = null`)))}`;

const READ = ['latitude', 'longitude', 'location_id', 'time'] as const;

const idsOf = (rows: readonly Row[]): SqlValue[] => rows.map(([id = null]) => id);

/** Generalizes the next stored encounters. @returns their rows: first the ID, at last the level before */
function* generalizeNext(
  condition: Sql,
  position: number,
  context: KeptContext,
  most = CHUNK,
): Work<readonly Row[]> {
  const rows = yield* ask(
    sql`select e.id, ${storedLevel('e', context.site)}, ${join(READ.map((name) => raw(`e.${name}`)))},
        coalesce((select g.level from oms_generalized g where g.encounter = e.id), 0) from encounters e
      where e.id > ${position} and ${condition}
      order by e.id limit ${most}${context.dialect.forUpdate('e')}`,
  );
  yield* generalizeRows(rows, context);
  return rows;
}

/** What of an encounter decides over what strangers are given, after its ID and level. */
const bodyIn = (row: Row): Body => Object.fromEntries(READ.map((name, at) => [name, row[at + 2]]));

function* generalizeRows(rows: readonly Row[], context: KeptContext): Work<void> {
  const { site } = context;
  const levelIn = (row: Row): number => viewLevel(Number(row[1]), site);
  yield* keepRows(
    rows
      .filter((row) => levelIn(row) > 0)
      .map((row) => keptRow(row[0] ?? null, levelIn(row), bodyIn(row), site)),
    context,
  );
  yield* dropRows(idsOf(rows.filter((row) => levelIn(row) === 0)), context);
  const was = (row: Row): number => Number(row.at(-1));
  yield* raisePhotographs(idsOf(rows.filter((row) => levelIn(row) > was(row))), context);
  yield* lowerPhotographs(idsOf(rows.filter((row) => levelIn(row) < was(row))), context);
}

/** Generalizes these encounters by what is stored, with all that follows from it. */
export function* generalizeAnew(ids: readonly SqlValue[], context: KeptContext): Work<void> {
  for (let at = 0; at < ids.length; at += CHUNK) {
    const some = amongRows(ids.slice(at, at + CHUNK), context.dialect);
    const rows = yield* generalizeNext(sql`e.id ${some}`, 0, context);
    yield* renewFollowing(rows, context);
  }
}

/** The row ID of the last of these, null when there are no more. @param most that were asked for */
const lastOf = (rows: readonly Row[], most: number): number | null =>
  rows.length < most ? null : Number(rows.at(-1)?.[0]);

/** What follows from generalized encounters: when they are told, how searches find them, and the figures of their individuals. */
function* renewFollowing(rows: readonly Row[], context: KeptContext): Work<void> {
  const ids = idsOf(rows);
  if (ids.length > 0)
    yield* dateAnew(encounters, sql`e.id ${amongRows(ids, context.dialect)}`, context);
  yield* context.renewSearch('encounter', ids);
  yield* renewFigures(ids, context);
}

const check: KeptCheck = {
  kind: 'levels',
  over: 'encounter',
  *differing(ids, { dialect, site }) {
    const own = [...Object.values(TAKEN), raw('e.document_id')];
    const stored = yield* ask(
      sql`select e.id, ${storedLevel('e', site)}, ${join(READ.map((name) => raw(`e.${name}`)))}, ${join(own)}
        from encounters e where e.id ${amongRows(ids, dialect)}`,
    );
    const rows = stored.flatMap((row): SqlValue[][] => {
      const level = viewLevel(Number(row[1]), site);
      const [id = null, ...values] = keptRow(row[0] ?? null, level, bodyIn(row), site);
      return level > 0 ? [[id, ...row.slice(READ.length + 2), ...values]] : [];
    });
    const { table, key, columns } = GENERALIZED_COLUMNS;
    return yield* differingRows({ table, columns: [key, ...columns], keys: 1, rows }, ids, dialect);
  },
  renew: generalizeAnew,
  gone: {
    find: sql`select encounter ${OF_NONE}`,
    *drop() {
      yield* ask(GONE);
    },
  },
};

/** What strangers are given of encounters that are not open. */
export const generalized: Kept = {
  name: 'generalized',
  of: 'encounter',
  fields: [...READ, 'location_privacy', 'taxonomy', 'protected_as', 'owner', 'individual', 'state'],
  keptIn: [GENERALIZED_COLUMNS],
  checks: [check],
  version: {
    declared: { made: GENERALIZATION, told: null },
    /** Until they are made anew nothing is told of them: what was made by other code may be looser than by this. */
    *renewAll(context) {
      yield* ask(WITHDRAW);
      yield* queueAll(context);
    },
  },
  follow,

  *lookAhead(encounters, context) {
    const taxa = encounters.map(({ taxonomy: id }) => id);
    yield* learnLevels(
      taxa.map((id) => (typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null)),
      context,
    );
  },

  /** What follows from it is computed after it (`objects.rebuild`). */
  *rebuild(context) {
    yield* ask(GONE);
    for (let position: number | null = 0; position !== null;)
      position = lastOf(yield* generalizeNext(raw('1 = 1'), position, context), CHUNK);
  },

  *later(context, most) {
    const job = yield* nextJob(context);
    if (!job) return false;
    // Settings that have changed meanwhile have to be read first.
    if (!(yield* isOfNow(context))) return true;
    const rows = yield* generalizeNext(isConcerned(job), job.position, context, most);
    yield* renewFollowing(rows, context);
    if (job.position === 0) yield* dateIndividuals(job, context);
    yield* advance(job, lastOf(rows, most));
    return true;
  },
};

/** What of the site settings decides over all encounters. */
export const generalizedAnew: Kept = {
  name: 'generalized_anew',
  of: 'site_settings',
  fields: ['default_location_privacy', 'protect_unidentified', 'hidden_tells', 'regions'],
  keptIn: [],
  leavesWork: true,
  *follow(affected, context) {
    if (affected.some(({ before }) => before !== null)) yield* queueAll(context);
  },
  *rebuild() {
    // It is `generalized` that is made anew.
  },
};
