/**
 * The level of location privacy that a taxon has by itself and its ancestors, kept with it: encounters need not look up
 * the tree. Ancestors are those by `parent` alone; a synonym does not inherit from its accepted name.
 */
import { raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Work } from '../../plugins/objects/server/database/work';
import type { Kept, KeptContext } from '../../plugins/objects/server/define/behavior';
import { queueAll, queueTaxa } from '../../plugins/objects/server/privacy/jobs';
import { levelIn, levelOfTaxon } from '../../plugins/objects/server/privacy/level';

/** The level of a taxon that inherits one. */
const within = (alias: string, inherited: Sql): Sql => {
  const own = levelIn(raw(`${alias}.location_privacy`));
  return sql`case when ${own} > ${inherited} then ${own} else ${inherited} end`;
};

const isWrong = raw('(b.was is null or b.was <> b.level)');

/**
 * Sets the levels from these taxa downwards. Below one whose level stays, nothing changes.
 *
 * @param root a condition on `t`
 * @returns the row IDs of those that have changed
 */
function* setLevels(root: Sql): Work<readonly SqlValue[]> {
  const inherited = sql`case when t.parent_id is null then 0 else ${levelOfTaxon('a')} end`;
  // `union` and not `union all`: it ends where direct SQL has made a cycle.
  const rows = yield* ask(
    sql`with recursive b(id, level, was) as (
        select t.id, ${within('t', inherited)}, t.effective_privacy
        from taxonomies t left join taxonomies a on a.id = t.parent_id where ${root}
        union
        select c.id, ${within('c', raw('b.level'))}, c.effective_privacy
        from b join taxonomies c on c.parent_id = b.id where ${isWrong}
      )
      update taxonomies set effective_privacy = b.level from b
      where taxonomies.id = b.id and ${isWrong} returning taxonomies.id`,
  );
  return rows.map(([id]) => id ?? null);
}

/** One transaction at a time: a taxon that comes below another has to find its level as it will be. */
function* lockTree({ dialect }: KeptContext): Work<void> {
  const lock = dialect.lock('trees');
  if (lock) yield* ask(lock);
}

function* rebuild(context: KeptContext): Work<void> {
  yield* lockTree(context);
  yield* ask(sql`update taxonomies set effective_privacy = null`);
  yield* setLevels(raw('t.parent_id is null'));
}

export const effectivePrivacy: Kept = {
  name: 'effective_privacy',
  of: 'taxonomy',
  fields: ['parent', 'location_privacy'],
  keptIn: [{ table: 'taxonomies', key: 'id', columns: ['effective_privacy'] }],
  leavesWork: true,

  *follow(affected, context) {
    yield* lockTree(context);
    for (const { rowId, before, after } of affected) {
      if (after === null) continue;
      const changed = yield* setLevels(sql`t.id = ${rowId}`);
      if (before !== null) yield* queueTaxa(changed, context);
    }
  },

  rebuild,

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
