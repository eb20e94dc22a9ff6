/**
 * The kingdom of each taxon, within which its name and rank are unique (contract, section 5): zoology and botany name
 * independently of each other (https://www.iapt-taxon.org/nomen/pages/main/art_54.html), so that a bird and a plant are
 * called Oenanthe. It is the nearest ancestor of this rank, and of a synonym, that of its accepted name. Kept as the ID
 * of its row, and 0 where there is none: such a taxon may be of any kingdom, and clashes with all.
 *
 * What decides is the tree as it is: whoever places or names a taxon holds the lock of the tree, which each placement
 * takes anyway, and which is therefore no stricter than one for each name.
 */
import { ApiError, issue } from '../../core/errors';
import {
  raw,
  sql,
  statementOf,
  type Sql,
  type SqlValue,
  type Statement,
} from '../../plugins/objects/server/database/sql';
import { ask, askOne, tell, type Work } from '../../plugins/objects/server/database/work';
import type {
  Holder,
  Kept,
  KeptContext,
  Rule,
  RuleContext,
} from '../../plugins/objects/server/declare/behavior';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { nameKey } from './domain/name-key';

/** Taxa that one change may bring into another kingdom. */
const MAX_MOVED = 10_000;

const RANK = 'kingdom';

/** The fields that place a taxon, in the order in which a clash of those below it is told at one. */
const PLACE = ['parent', 'accepted', 'status', 'rank'] as const;

const isSynonym = (alias: string): string =>
  `(${alias}.taxonomic_status = 'synonym' and ${alias}.accepted_id is not null)`;

const isKingdom = (alias: string): string =>
  `(coalesce(${alias}.rank, '') = '${RANK}' and not ${isSynonym(alias)})`;

/** The kingdom of the row of an alias, as it is kept. */
const keptOf = (alias: string): Sql => raw(`coalesce(${alias}.kingdom, 0)`);

/**
 * A `select` of the nearest kingdom, going up from a taxon; without a row where there is none. It ends in a circle of
 * parents and accepted names, too.
 *
 * @param start a `select` of the ID of the row where it begins, and whether that one counts, as 1 or 0
 */
const nearest = (start: Sql): Sql =>
  sql`with recursive up(id, counts) as (
      ${start}
      union
      select ${raw(`case when ${isSynonym('t')} then t.accepted_id else t.parent_id end,
        case when ${isSynonym('t')} then u.counts else 1 end`)}
      from up u join taxonomies t on t.id = u.id
      where not (u.counts = 1 and ${raw(isKingdom('t'))}))
    select t.id from up u join taxonomies t on t.id = u.id
    where u.counts = 1 and ${raw(isKingdom('t'))}`;

/** The kingdom in which a taxon is, and that in which those below it are. */
interface Realms {
  readonly own: number;
  readonly below: number;
}

/** @returns null where there is no such taxon, which is told elsewhere */
function* nearestFrom(id: unknown, counts: 0 | 1): Work<number | null> {
  if (typeof id !== 'string') return 0;
  const found = yield* askOne(
    sql`select coalesce((${nearest(raw(`select s.id, ${counts}`))}), 0)
      from taxonomies s where s.document_id = ${id}`,
  );
  return found ? Number(found[0]) : null;
}

/**
 * @param row the ID of its row; 0 of a new one, which nothing is below
 * @returns null where it refers to what is not there
 */
function* realmsOf(taxon: Body, row: number): Work<Realms | null> {
  const { accepted, parent, rank, status } = taxon;
  if (status === 'synonym' && typeof accepted === 'string') {
    const [own, below] = [yield* nearestFrom(accepted, 0), yield* nearestFrom(accepted, 1)];
    return own === null || below === null ? null : { own, below };
  }
  const own = yield* nearestFrom(parent, 1);
  return own === null ? null : { own, below: rank === RANK ? row : own };
}

/** A statement about a move, which is planned for the table as it is: most taxa may have come since the last one. */
const planned = (statement: Sql): Statement => ({ ...statementOf(statement), isAdHoc: true });

const integer = (value: SqlValue): Sql => sql`cast(${value} as integer)`;

/**
 * The table `moved` of a taxon and of those that come into another kingdom with it, each with its kingdom and that of
 * what is below it.
 */
function movedWith(row: number, { own, below }: Realms): Sql {
  const root = integer(row);
  return sql`moved(id, kingdom, below) as (
      select ${root}, ${integer(own)}, ${integer(below)}
      union
      select c.id, ${raw(`case when ${isSynonym('c')} then m.kingdom else m.below end,
        case when ${isKingdom('c')} then c.id else m.below end`)}
      from moved m join taxonomies c
        on ${raw(`(c.parent_id = m.id and not ${isSynonym('c')}) or (c.accepted_id = m.id and ${isSynonym('c')})`)}
      where c.id <> ${root} and (${raw(isSynonym('c'))} or ${keptOf('c')} <> m.below))`;
}

/** The same, each taxon once: those of a circle could be there twice. */
const MOVED = raw('(select id, max(kingdom) as kingdom from moved group by id)');

/** The condition that the same names clash in two kingdoms. */
const clash = (one: Sql, other: Sql): Sql => sql`(${one} = ${other} or ${one} = 0 or ${other} = 0)`;

const isPlaced = (before: Body, after: Body): boolean =>
  PLACE.some((name) => before[name] !== after[name]);

const placeThatChanges = (before: Body, after: Body): string =>
  PLACE.find((name) => before[name] !== after[name]) ?? 'scientific_name';

function* lockTree({ dialect }: Pick<RuleContext, 'dialect'>): Work<void> {
  const lock = dialect.lock('trees');
  if (lock) yield* ask(lock);
}

function* rowOf(taxon: Body): Work<number> {
  const row = yield* askOne(
    sql`select id from taxonomies where document_id = ${String(taxon['id'])}`,
  );
  return Number(row?.[0] ?? 0);
}

/** Whether a taxon has the name of another one of its kingdom, or one that comes with it. */
export function* findNameHolders(after: Body, context: RuleContext): Work<readonly Holder[]> {
  const { before } = context;
  const key = nameKey(after);
  if (before && nameKey(before) === key && !isPlaced(before, after)) return [];
  yield* lockTree(context);
  const row = before ? yield* rowOf(before) : 0;
  const realms = yield* realmsOf(after, row);
  if (!realms) return [];
  if (!before) {
    const holder =
      yield* askOne(sql`select h.document_id from taxonomies h where h.name_key = ${key}
      and ${clash(keptOf('h'), integer(realms.own))} order by h.id limit 1`);
    return holder ? [{ path: 'scientific_name', id: String(holder[0]) }] : [];
  }
  const isMoved = isPlaced(before, after);
  // Those that come with it are where they will be.
  const held = sql`select h.document_id from taxonomies h left join moved n on n.id = h.id
    where h.name_key = ${key} and h.id <> ${row}
      and ${clash(raw('coalesce(n.kingdom, h.kingdom, 0)'), integer(realms.own))}
    order by h.id limit 1`;
  const holder = yield* askOne(planned(sql`with recursive ${movedWith(row, realms)} ${held}`));
  const own = holder ? [{ path: 'scientific_name', id: String(holder[0]) }] : [];
  if (!isMoved) return own;
  // Those that come with it have one kingdom now as later, so that they do not clash with each other.
  const below = yield* askOne(
    planned(sql`with recursive ${movedWith(row, realms)}
    select h.document_id from (select * from moved limit ${raw(String(MAX_MOVED + 1))}) m
      join taxonomies t on t.id = m.id join taxonomies h on h.name_key = t.name_key and h.id <> t.id
    where m.id <> ${row} and h.id <> ${row} and ${clash(keptOf('h'), raw('m.kingdom'))}
    order by h.id limit 1`),
  );
  const path = placeThatChanges(before, after);
  return below && path !== own[0]?.path ? [...own, { path, id: String(below[0]) }] : own;
}

/** A change that would bring too many taxa into another kingdom, each of whose names would have to be looked up. */
export const movesFewTaxa: Rule = {
  fields: ['scientific_name', ...PLACE],
  *check(after, context) {
    const { before } = context;
    if (!before || !isPlaced(before, after)) return [];
    yield* lockTree(context);
    const row = yield* rowOf(before);
    const realms = yield* realmsOf(after, row);
    if (!realms) return [];
    const moved = yield* askOne(
      planned(sql`with recursive ${movedWith(row, realms)}
      select count(*) from (select m.id from moved m limit ${raw(String(MAX_MOVED + 2))}) few`),
    );
    // The taxon itself is one of them.
    const count = Number(moved?.[0]) - 1;
    if (count <= MAX_MOVED) return [];
    const path = placeThatChanges(before, after);
    throw new ApiError('TOO_MANY_BELOW', { max: MAX_MOVED }, [
      issue(path, 'TOO_LARGE', { value: count, max: MAX_MOVED }),
    ]);
  },
};

/** A `select` of the row where the way up from a stored taxon begins. */
const above = (row: Sql): Sql =>
  sql`select ${raw(`case when ${isSynonym('s')} then s.accepted_id else s.parent_id end,
    case when ${isSynonym('s')} then 0 else 1 end`)} from taxonomies s where s.id = ${row}`;

/** Keeps the kingdom of a taxon, and of all that its place decides about. */
function* keep(rowId: SqlValue, isNew: boolean): Work<void> {
  const row = integer(rowId);
  if (isNew)
    return yield* tell(
      sql`update taxonomies set kingdom = coalesce((${nearest(above(row))}), 0) where id = ${row}`,
    );
  const stored = yield* askOne(sql`select ${raw(`case when ${isKingdom('s')} then 1 else 0 end,
      case when ${isSynonym('s')} then 1 else 0 end`)},
      coalesce((${nearest(above(row))}), 0) from taxonomies s where s.id = ${row}`);
  const [isTop, isAlias, own] = (stored ?? []).map(Number);
  const fromAccepted = sql`select s.accepted_id, 1 from taxonomies s where s.id = ${row}`;
  const below = isAlias
    ? Number((yield* askOne(nearest(fromAccepted)))?.[0] ?? 0)
    : isTop
      ? Number(rowId)
      : own;
  yield* tell(
    planned(sql`with recursive ${movedWith(Number(rowId), { own: own ?? 0, below: below ?? 0 })}
      update taxonomies set kingdom = m.kingdom from ${MOVED} m
      where taxonomies.id = m.id and coalesce(taxonomies.kingdom, -1) <> m.kingdom`),
  );
}

function* rebuild(context: KeptContext): Work<void> {
  yield* lockTree(context);
  yield* tell(sql`update taxonomies set kingdom = s.kingdom from (
      select o.id, coalesce((${nearest(above(raw('o.id')))}), 0) as kingdom from taxonomies o) s
    where s.id = taxonomies.id and coalesce(taxonomies.kingdom, -1) <> s.kingdom`);
}

export const kingdom: Kept = {
  name: 'kingdom',
  of: 'taxonomy',
  fields: PLACE,
  keptIn: [{ table: 'taxonomies', key: 'id', columns: ['kingdom'] }],
  neededByChecks: true,
  *follow(affected) {
    for (const { rowId, before, after } of affected)
      if (after !== null) yield* keep(rowId, before === null);
  },
  rebuild,
};
