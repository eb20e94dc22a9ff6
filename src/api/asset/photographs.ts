/**
 * Keeps the level of each asset's bytes (`level.ts`) in the transaction of every change of an encounter's level or
 * photographs, and of assets. By the hash: every asset with the same bytes gets the same level.
 */
import { isDeepStrictEqual } from 'node:util';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import {
  join,
  literal,
  raw,
  sql,
  type Sql,
  type SqlValue,
} from '../../plugins/objects/server/database/sql';
import { ask, tell, type Work } from '../../plugins/objects/server/database/work';
import type {
  Affected,
  BeforeDelete,
  Consequence,
  Kept,
  KeptContext,
} from '../../plugins/objects/server/declare/behavior';
import { levelIn, levelOfEncounter, STRICTEST } from '../encounter/level';
import type { Body } from '../../plugins/objects/server/declare/objects';
import type { HiddenLevel } from '../encounter/domain/generalize';
import { knownLevel, LEVELS, storedLevel, viewLevel } from '../encounter/privacy';
import { levelsKept, OPEN, strictestOf } from './level';

type Context = Pick<KeptContext, 'dialect'>;

/**
 * Locks the assets with these hashes until the transaction ends: what another one has changed of the same bytes meanwhile
 * is known to the next statement. Nothing to do where only one transaction runs at a time.
 */
function* lockBytes(hashes: Sql, { dialect }: Context): Work<void> {
  const lock = dialect.forNoKeyUpdate;
  if (lock.chunks.join('') === '') return;
  yield* tell(
    sql`select a.id from assets a where a.sha_256 ${dialect.among(hashes)} order by a.id${lock}`,
  );
}

/** A `select` of the hashes of the photographs of encounters with these row IDs. */
const hashesOf = (encounters: readonly SqlValue[], { dialect }: Context): Sql =>
  sql`select y.sha_256 from encounters_assets_lnk m join assets y on y.id = m.asset_id
    where m.encounter_id ${amongRows(encounters, dialect)}`;

/** Sets the level of all assets with these hashes. @param hashes a `select` */
function* setLevels(hashes: Sql, context: Context): Work<void> {
  yield* lockBytes(hashes, context);
  yield* setLocked(hashes, context);
}

/** The same of locked ones, computed once for each hash. */
function* setLocked(hashes: Sql, { dialect }: Context): Work<void> {
  yield* tell(
    sql`with bytes(hash) as (select y.sha_256 from assets y where y.sha_256 ${dialect.among(hashes)} group by y.sha_256),
        levels(hash, level) as materialized (select b.hash, ${strictestOf(levelsKept(raw('b.hash')))} from bytes b)
      update assets set level = l.level from levels l
        where assets.sha_256 = l.hash and coalesce(assets.level, '') <> l.level`,
  );
}

/**
 * After the level of encounters has fallen, or they have lost photographs: of those bytes that no other encounter keeps at
 * their level. It is looked for from the last asset on: in the background encounters fall in the order of their IDs, and
 * what many of them share falls with the last one.
 */
export function* lowerPhotographs(encounters: readonly SqlValue[], context: Context): Work<void> {
  if (encounters.length === 0) return;
  // Of one without a level, or an open one, nothing is kept.
  const level = sql`coalesce(nullif(${levelIn(raw('y.level'))}, 0), ${raw(String(STRICTEST + 1))})`;
  const keeping = sql`select 1 from assets x join encounters_assets_lnk l on l.asset_id = x.id
      join oms_generalized g on g.encounter = l.encounter_id
    where x.sha_256 = y.sha_256 and g.level >= ${level}
    order by x.id desc, l.id desc limit 1`;
  const hashes = hashesOf(encounters, context);
  yield* lockBytes(hashes, context);
  yield* setLocked(sql`${hashes} and (${keeping}) is null`, context);
}

/**
 * After encounters have become less open, or got photographs: nothing else with the same bytes is looked at, so that it
 * does not matter how many have them.
 *
 * @param levels those that these encounters may have
 */
export function* raisePhotographs(
  encounters: readonly SqlValue[],
  context: Context,
  levels: readonly HiddenLevel[] = LEVELS,
): Work<void> {
  if (encounters.length === 0) return;
  const { dialect } = context;
  yield* lockBytes(hashesOf(encounters, context), context);
  for (const [at, level] of LEVELS.entries()) {
    if (!levels.includes(level)) continue;
    const looser = join([OPEN, ...LEVELS.slice(0, at)].map(literal));
    const hashes = sql`select y.sha_256 from oms_generalized g
      join encounters_assets_lnk m on m.encounter_id = g.encounter join assets y on y.id = m.asset_id
      where g.encounter ${amongRows(encounters, dialect)} and g.level = ${raw(String(at + 1))}`;
    yield* tell(
      sql`update assets set level = ${literal(level)}
        where sha_256 ${dialect.among(hashes)} and level in (${looser})`,
    );
  }
}

/** Keeps hashes with a level above open. @param rows a `select` of hashes and levels */
const keep = (rows: Sql): Work<void> =>
  tell(sql`insert into oms_kept_photographs (sha256, level)
    select r.sha_256, max(r.level) from (${rows}) r where r.level > 0 group by r.sha_256
    on conflict (sha256) do update set level = excluded.level
      where excluded.level > oms_kept_photographs.level`);

/** Before an encounter is deleted: what it does not tell as it is now, nobody tells afterwards. */
export const keepLeaving: BeforeDelete = function* ({ rowId }, { site }) {
  yield* keep(sql`select y.sha_256, ${storedLevel('e', site)} as level from encounters e
    join encounters_assets_lnk m on m.encounter_id = e.id join assets y on y.id = m.asset_id
    where e.id = ${rowId}`);
};

/** Before an asset is deleted: the same, of all encounters with it. */
export const keepDeleted: BeforeDelete = function* ({ rowId }, { site }) {
  yield* keep(sql`select y.sha_256, ${storedLevel('e', site)} as level from assets y
    join encounters_assets_lnk m on m.asset_id = y.id join encounters e on e.id = m.encounter_id
    where y.id = ${rowId}`);
};

const listOf = (object: Body | null | undefined): readonly string[] =>
  (object?.['assets'] ?? []) as readonly string[];

/** What an update takes from an encounter: the same, by what the encounter was. */
export const keepRemoved: Consequence = function* ({ op, before, after }, { site, dialect }) {
  if (op !== 'update' || !before) return;
  const left = new Set(listOf(after));
  const removed = listOf(before).filter((id) => !left.has(id));
  if (removed.length === 0) return;
  const text = (name: string): string => (before[name] ?? '') as string;
  const taxon = (name: string): Sql =>
    sql`(select t.id from taxonomies t where t.document_id = ${text(name)})`;
  const level = levelOfEncounter(
    {
      own: sql`cast(${text('location_privacy')} as text)`,
      taxon: taxon('taxonomy'),
      protectedAs: taxon('protected_as'),
    },
    site,
  );
  const among = (ids: readonly string[]): Sql =>
    dialect.among(sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(ids)}`)}`);
  // Bytes that it still has, as another photograph, have not been taken from it.
  yield* keep(sql`select y.sha_256, ${level} as level from assets y
    where y.document_id ${among(removed)} and y.sha_256 not in
      (select z.sha_256 from assets z where z.document_id ${among([...left])})`);
};

/** What the level of an encounter depends on. */
const DECIDING = ['location_privacy', 'taxonomy', 'protected_as'] as const;

const changes = ({ before, after }: Affected, ...names: readonly string[]): boolean =>
  names.some((name) => !isDeepStrictEqual(before?.[name], after?.[name]));

/** Of those that an encounter has or had, the hashes of the photographs that it may have raised or lowered. */
function* follow(affected: readonly Affected[], context: KeptContext): Work<void> {
  const raised = affected.filter(
    (one) => listOf(one.after).length > 0 && !isKnownOpen(one, context),
  );
  yield* raisePhotographs(
    raised.map(({ rowId }) => rowId),
    context,
    levelsOf(raised, context),
  );
  const lowered = affected.filter(
    (one) => one.before !== null && (one.after === null || changes(one, 'assets', ...DECIDING)),
  );
  const assets = new Set(lowered.flatMap(({ before, after }) => [before, after].flatMap(listOf)));
  if (assets.size === 0) return;
  const ids = context.dialect.jsonItems(sql`${JSON.stringify([...assets])}`);
  yield* setLevels(
    sql`select y.sha_256 from assets y where y.document_id in (select j.value from ${ids})`,
    context,
  );
}

/** The level of an encounter, if the transaction knows it. */
const knownAfter = ({ after }: Affected, { site, references }: KeptContext): number | undefined =>
  after !== null && 'location_privacy' in after
    ? knownLevel(after, site, (question) => references.answer(question))
    : undefined;

const isKnownOpen = (one: Affected, context: KeptContext): boolean =>
  knownAfter(one, context) === 0;

/** The levels that encounters may have which are not known to be open, as strangers are told them. */
function levelsOf(some: readonly Affected[], context: KeptContext): readonly HiddenLevel[] {
  const known = new Set(some.map((one) => knownAfter(one, context)));
  if (known.has(undefined)) return LEVELS;
  return LEVELS.filter((_, at) =>
    [...known].some((level) => viewLevel(level ?? 0, context.site) === at + 1),
  );
}

/** The levels of photographs, which follow encounters. */
export const photographs: Kept = {
  name: 'photographs',
  of: 'encounter',
  fields: ['assets', ...DECIDING],
  keptIn: [{ table: 'assets', key: 'id', columns: ['level'] }],
  follow,
  *rebuild() {
    const level = strictestOf(levelsKept(raw('assets.sha_256')));
    yield* ask(sql`update assets set level = ${level} where coalesce(level, '') <> ${level}`);
  },
};

/** A moderator takes back what was kept of the bytes, until a later encounter that is not open. */
const isOpened = ({ before, after }: Affected): boolean =>
  after?.['location_privacy'] === 'open' && before?.['location_privacy'] !== 'open';

/** The same, which follow new assets, deleted ones, and the word of a moderator. */
export const photographsOfAssets: Kept = {
  name: 'photographs_of_assets',
  of: 'asset',
  fields: ['location_privacy'],
  keptIn: [],
  *follow(affected, context) {
    const hashesIn = (some: readonly Affected[]): Sql => {
      const hashes = some.map(({ before, after }) => (after ?? before)?.['sha256'] ?? null);
      return sql`select j.value from ${context.dialect.jsonItems(sql`${JSON.stringify(hashes)}`)}`;
    };
    const opened = affected.filter(isOpened);
    if (opened.length > 0)
      yield* ask(
        sql`delete from oms_kept_photographs where sha256 ${context.dialect.among(hashesIn(opened))}`,
      );
    const moved = affected.filter((one) => !one.before || !one.after || isOpened(one));
    if (moved.length > 0) yield* setLevels(hashesIn(moved), context);
  },
  *rebuild() {
    // It is `photographs` that computes all of them.
  },
};
