/**
 * What is kept with a taxon of location privacy, so that encounters need not look up the tree (contract, section 6):
 * its level with all that it inherits, and the strictest level among the taxa below it.
 *
 * A taxon is below its parent and, a synonym, below its accepted name. The two together may form a circle, so nothing is
 * computed step by step from a neighbor: a level is reached from each taxon that has one, by a recursion that ends where
 * it has been before.
 */
import { amongRows, rowIds } from '../../plugins/objects/server/database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Row, type Work } from '../../plugins/objects/server/database/work';
import type {
  Affected,
  Kept,
  KeptCheck,
  KeptContext,
} from '../../plugins/objects/server/declare/behavior';
import { queueAll, queueTaxa, queueUntaxed } from '../encounter/privacy-jobs';
import { codeIn, levelIn, levelOf, levelOfTaxon } from '../encounter/level';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { lendProtection } from '../encounter/protected-as';

/** Whether the taxon `c` is directly below the taxon `b`. */
const IS_BELOW = raw(
  `(c.parent_id = b.id or (c.accepted_id = b.id and c.taxonomic_status = 'synonym'))`,
);

/** Whether the taxon `a` is directly above the taxon `t`. */
const IS_ABOVE = raw(
  `(a.id = t.parent_id or (t.taxonomic_status = 'synonym' and a.id = t.accepted_id))`,
);

const OWN = levelIn(raw('t.location_privacy'));
const HAS_OWN = raw(`t.location_privacy in ('obscured', 'private')`);

/**
 * Sets the levels of these taxa and of all below them.
 *
 * @param roots a table of row IDs, `r`
 * @returns the row IDs of those whose level has changed
 */
function* setLevels(roots: Sql): Work<readonly SqlValue[]> {
  const rows = yield* ask(
    sql`with recursive ${strictestOf(roots)}
      update taxonomies set effective_privacy = s.level, protected_below = coalesce(protected_below, 0)
      from strictest s
      where taxonomies.id = s.id and (taxonomies.effective_privacy is null or taxonomies.effective_privacy <> s.level)
      returning taxonomies.id`,
  );
  return rows.map(([id]) => id ?? null);
}

/** The table `strictest` of the levels of these taxa and of all below them. */
const strictestOf = (roots: Sql): Sql =>
  sql`below(id) as (
        select r.id from ${roots}
        union select c.id from below b join taxonomies c on ${IS_BELOW}),
      reached(id, level) as (
        select * from (
          select t.id, ${OWN} from taxonomies t where t.id in (select id from below) and ${HAS_OWN}
          union select t.id, ${levelOfTaxon('a')} from taxonomies t join taxonomies a on ${IS_ABOVE}
            where t.id in (select id from below) and not exists (select 1 from below o where o.id = a.id)
            and ${levelOfTaxon('a')} > 0) seed
        union select c.id, b.level from reached b join taxonomies c on ${IS_BELOW}),
      strictest(id, level) as (
        select b.id, coalesce(max(r.level), 0) from below b left join reached r on r.id = b.id group by b.id)`;

/**
 * Protected taxa without a parent: they count as below the taxon that the first word of their name names. They are found among
 * the protected ones, which are few, and not among those without a parent, which may be nearly all.
 */
const parentless = (): Work<readonly Row[]> =>
  ask(
    sql`select t.scientific_name, ${OWN} from taxonomies t where ${HAS_OWN} and coalesce(t.parent_id, 0) = 0`,
  );

const firstWord = (name: unknown): string => String(name).split(' ')[0]?.toLowerCase() ?? '';

/** The taxa that names of protected ones without a parent begin with, and the levels of these. */
function* genera(orphans: readonly Row[]): Work<readonly (readonly [SqlValue, number])[]> {
  const levels = new Map<string, number>();
  for (const [name, level] of orphans)
    if (String(name).includes(' '))
      levels.set(firstWord(name), Math.max(levels.get(firstWord(name)) ?? 0, Number(level)));
  if (levels.size === 0) return [];
  const rows = yield* ask(sql`select t.id, t.scientific_name from taxonomies t
    where t.scientific_name not like '% %'`);
  return rows.flatMap(([id = null, name]) => {
    const level = levels.get(String(name).toLowerCase());
    return level === undefined ? [] : [[id, level] as const];
  });
}

/**
 * Sets the strictest level below each taxon, from all protected ones upwards.
 *
 * @returns the row IDs of those of which it has changed
 */
function* setBelow(context: KeptContext): Work<readonly SqlValue[]> {
  const rows = yield* ask(
    sql`with recursive ${yield* strictestBelow(context)}
      update taxonomies set protected_below = s.level from strictest s
      where taxonomies.id = s.id and coalesce(taxonomies.protected_below, 0) <> s.level
      returning taxonomies.id`,
  );
  return rows.map(([id]) => id ?? null);
}

/** The table `strictest` of the levels below taxa, as far as there are any now or are kept. */
function* strictestBelow({ dialect }: KeptContext): Work<Sql> {
  const named = dialect.jsonRows(sql`${JSON.stringify(yield* genera(yield* parentless()))}`, [
    { name: 'id', type: 'integer' },
    { name: 'level', type: 'integer' },
  ]);
  return sql`above(id, level) as (
        select * from (
          select a.id, ${OWN} from taxonomies t join taxonomies a on ${IS_ABOVE} where ${HAS_OWN}
          union select r.id, r.level from ${named}) seed
        union select a.id, u.level from above u join taxonomies t on t.id = u.id join taxonomies a on ${IS_ABOVE}),
      strictest(id, level) as (
        select t.id, coalesce(max(u.level), 0) from taxonomies t left join above u on u.id = t.id
        where t.protected_below > 0 or u.id is not null group by t.id)`;
}

const PLACE = ['parent', 'accepted', 'status', 'scientific_name'] as const;

const isProtected = (taxon: Body | null): boolean => levelOf(taxon?.['location_privacy']) > 0;

/** Whether a change may alter what is below other taxa. A new open taxon does so by its name alone. */
const movesProtection = ({ before, after }: Affected): boolean =>
  before === null || after === null
    ? isProtected(before ?? after)
    : before['location_privacy'] !== after['location_privacy'] ||
      PLACE.some((name) => before[name] !== after[name]);

/** Whether a new taxon is the genus of a protected one that has no parent. */
function* isGenus(affected: readonly Affected[]): Work<boolean> {
  const names = affected.flatMap(({ before, after }) =>
    before === null && after ? firstWord(after['scientific_name']) : [],
  );
  if (names.length === 0) return false;
  const words = new Set((yield* parentless()).map(([name]) => firstWord(name)));
  return names.some((name) => words.has(name));
}

/** One transaction at a time: a taxon that comes below another has to find its level as it will be. */
function* lockTree({ dialect }: KeptContext): Work<void> {
  const lock = dialect.lock('trees');
  if (lock) yield* ask(lock);
}

/** Whether any taxon is protected is known to who writes an encounter without one until its transaction ends. */
function* lockProtection({ dialect }: KeptContext): Work<void> {
  const lock = dialect.lock('protection');
  if (lock) yield* ask(lock);
}

function* rebuild(context: KeptContext): Work<void> {
  yield* lockTree(context);
  yield* ask(sql`update taxonomies set effective_privacy = null`);
  yield* setLevels(raw('taxonomies r'));
  yield* setBelow(context);
}

const check: KeptCheck = {
  kind: 'figures',
  over: 'taxonomy',
  isWhole: true,
  *differing(_, context) {
    const own = yield* ask(
      sql`with recursive ${strictestOf(raw('taxonomies r'))}
        select t.id from strictest s join taxonomies t on t.id = s.id
        where t.effective_privacy is null or t.effective_privacy <> s.level`,
    );
    const below = yield* ask(
      sql`with recursive ${yield* strictestBelow(context)}
        select t.id from strictest s join taxonomies t on t.id = s.id
        where coalesce(t.protected_below, 0) <> s.level`,
    );
    return [...new Set([...own, ...below].map(([id = null]) => id))];
  },
  renew: (_, context) => rebuild(context),
};

/** Those of these taxa that are not open. */
function* closed(ids: readonly SqlValue[], { dialect }: KeptContext): Work<SqlValue[]> {
  const rows = yield* ask(
    sql`select p.id from taxonomies p where p.id ${amongRows(ids, dialect)} and ${codeIn('p')} > 0`,
  );
  return rows.map(([id = null]) => id);
}

export const effectivePrivacy: Kept = {
  name: 'effective_privacy',
  of: 'taxonomy',
  fields: [...PLACE, 'location_privacy'],
  keptIn: [{ table: 'taxonomies', key: 'id', columns: ['effective_privacy', 'protected_below'] }],
  leavesWork: true,
  followsAtOnce: true,

  *follow(affected, context) {
    yield* lockTree(context);
    const moves = affected.some(movesProtection);
    const own = affected.some(({ before, after }) => isProtected(before) !== isProtected(after));
    if (own) yield* lockProtection(context);
    const roots = affected.flatMap(({ rowId, after }) => (after === null ? [] : [rowId]));
    const changed = new Set(
      roots.length === 0 ? [] : yield* setLevels(rowIds(roots, context.dialect)),
    );
    if (moves || (yield* isGenus(affected)))
      for (const id of yield* setBelow(context)) changed.add(id);
    // Nothing refers to a new taxon yet.
    for (const { rowId, before } of affected) if (before === null) changed.delete(rowId);
    if (changed.size > 0) {
      yield* lendProtection(yield* closed([...changed], context), context);
      yield* queueTaxa([...changed], context);
    }
    if (own) yield* queueUntaxed(context);
  },

  rebuild,
  checks: [check],

  /** Taxa that were stored before levels were kept. */
  *later(context) {
    const missing = yield* askOne(
      sql`select 1 from taxonomies where effective_privacy is null limit 1`,
    );
    if (!missing) return false;
    yield* rebuild(context);
    yield* queueAll(context);
    return false;
  },
};
