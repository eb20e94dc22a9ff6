/**
 * What strangers are given of encounters that are not open, kept in `oms_generalized` for lists, searches and figures
 * (`privacy.ts`).
 */
import { isUuid } from '../../core/formats';
import { parseTime } from '../../core/time';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, askOne, tell, type Row, type Work } from '../../plugins/objects/server/database/work';
import type {
  Affected,
  Kept,
  KeptColumns,
  KeptContext,
} from '../../plugins/objects/server/define/behavior';
import { advance, ALL_TAXA, nextJob, queueAll } from '../../plugins/objects/server/privacy/jobs';
import { levelOfEncounter, levelOfTaxon } from '../../plugins/objects/server/privacy/level';
import type { SiteSettings } from '../../plugins/objects/server/site';
import type { Body } from '../../plugins/objects/server/types';
import { renewFigures } from '../individual/figures';
import { generalTime, obscuredPlace } from './domain/generalize';
import { knownLevel, LEVELS, questionOf } from './privacy';

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
  individual: raw('e.individual_id'),
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

/**
 * The levels of taxa, looked up once in a transaction. Until that ends, they stay: a change of one that comes later
 * finds the encounter.
 */
function* learnLevels(ids: readonly unknown[], { references, dialect }: KeptContext): Work<void> {
  const asked = new Set(ids.filter((id) => typeof id === 'string'));
  const unknown = [...asked].filter((id) => references.answer(questionOf(id)) === undefined).sort();
  if (unknown.length === 0) return;
  const listed = dialect.jsonItems(sql`${JSON.stringify(unknown)}`);
  const rows = yield* ask(
    sql`select p.document_id, ${levelOfTaxon('p')} from taxonomies p
      where p.document_id ${dialect.among(sql`select j.value from ${listed}`)}${dialect.forShare}`,
  );
  const levels = new Map(rows.map(([id, level]) => [id, level]));
  for (const id of unknown) references.putAnswer(questionOf(id), levels.get(id) ?? 0);
}

/** A ripple reports only the field that it has changed, which is a reference. */
const isWhole = ({ after }: Affected): boolean => after !== null && 'location_privacy' in after;

function* follow(affected: readonly Affected[], context: KeptContext): Work<void> {
  const { site } = context;
  const [kept, open, rippled]: [SqlValue[][], SqlValue[], SqlValue[]] = [[], [], []];
  yield* learnLevels(
    affected.flatMap((one) => (isWhole(one) ? [one.after?.['taxonomy']] : [])),
    context,
  );
  for (const one of affected) {
    const { rowId, before, after } = one;
    if (after === null) open.push(rowId);
    else if (!isWhole(one)) rippled.push(rowId);
    else {
      const level = knownLevel(after, site, (question) => context.references.answer(question)) ?? 0;
      if (level > 0) kept.push(keptRow(rowId, level, after, site));
      else if (before !== null) open.push(rowId);
    }
  }
  yield* keepRows(kept, context);
  yield* dropRows(open, context);
  if (rippled.length === 0) return;
  const values = Object.entries(TAKEN).map(
    ([name, column]) =>
      sql`${raw(name)} = (select ${column} from encounters e where e.id = oms_generalized.encounter)`,
  );
  yield* ask(
    sql`update oms_generalized set ${join(values)} where encounter ${amongRows(rippled, context.dialect)}`,
  );
}

/** Encounters that are done in one transaction: 16 milliseconds on SQLite. */
const CHUNK = 500;

const READ = ['latitude', 'longitude', 'location_id', 'time'] as const;

const idsOf = (rows: readonly Row[]): SqlValue[] => rows.map(([id = null]) => id);

/** Generalizes the next stored encounters. @returns their rows: first the ID, last that of the individual */
function* generalizeNext(
  condition: Sql,
  position: number,
  context: KeptContext,
): Work<readonly Row[]> {
  const privacy = context.site.defaultLocationPrivacy;
  const level = levelOfEncounter(raw('e.location_privacy'), raw('e.taxonomy_id'), privacy);
  const rows = yield* ask(
    sql`select e.id, ${level}, ${join(READ.map((name) => raw(`e.${name}`)))}, e.individual_id from encounters e
      where e.id > ${position} and ${condition}
      order by e.id limit ${raw(String(CHUNK))}${context.dialect.forUpdate('e')}`,
  );
  const restricted = rows.filter(([, found]) => Number(found) > 0);
  const stored = (row: Row): Body =>
    Object.fromEntries(READ.map((name, at) => [name, row[at + 2]]));
  yield* keepRows(
    restricted.map((row) => keptRow(row[0] ?? null, Number(row[1]), stored(row), context.site)),
    context,
  );
  yield* dropRows(idsOf(rows.filter(([, found]) => Number(found) === 0)), context);
  return rows;
}

/** The row ID of the last of these, null when there are no more. */
const lastOf = (rows: readonly Row[]): number | null =>
  rows.length < CHUNK ? null : Number(rows.at(-1)?.[0]);

/** What follows from generalized encounters: how searches find them, and the figures of their individuals. */
function* renewFollowing(rows: readonly Row[], context: KeptContext): Work<void> {
  yield* context.renewSearch('encounter', idsOf(rows));
  const individuals = new Set(rows.map((row) => row.at(-1) ?? null));
  individuals.delete(null);
  if (individuals.size > 0) yield* renewFigures([...individuals], context);
}

/** Whether the site settings are those that are stored. */
function* isOfNow({ site }: KeptContext): Work<boolean> {
  const row = yield* askOne(sql`select version from site_settings`);
  return Number(row?.[0] ?? 0) === site.version;
}

/** What strangers are given of encounters that are not open. */
export const generalized: Kept = {
  name: 'generalized',
  of: 'encounter',
  fields: [...READ, 'location_privacy', 'taxonomy', 'owner', 'individual', 'state'],
  keptIn: [GENERALIZED_COLUMNS],
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
    yield* ask(
      raw('delete from oms_generalized where encounter not in (select e.id from encounters e)'),
    );
    for (let position: number | null = 0; position !== null;)
      position = lastOf(yield* generalizeNext(raw('1 = 1'), position, context));
  },

  *later(context) {
    const job = yield* nextJob(context);
    if (!job) return false;
    // Settings that have changed meanwhile have to be read first.
    if (!(yield* isOfNow(context))) return true;
    const taxon = sql`e.taxonomy_id = ${job.taxon}`;
    const condition = job.taxon === ALL_TAXA ? raw('1 = 1') : taxon;
    const rows = yield* generalizeNext(condition, job.position, context);
    yield* renewFollowing(rows, context);
    yield* advance(job, lastOf(rows));
    return true;
  },
};

/** What of the site settings decides over all encounters. */
export const generalizedAnew: Kept = {
  name: 'generalized_anew',
  of: 'site_settings',
  fields: ['default_location_privacy', 'regions'],
  keptIn: [],
  leavesWork: true,
  *follow(affected, context) {
    if (affected.some(({ before }) => before !== null)) yield* queueAll(context);
  },
  *rebuild() {
    // It is `generalized` that is made anew.
  },
};
