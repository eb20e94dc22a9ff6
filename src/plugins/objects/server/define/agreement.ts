/**
 * Two objects agree about their place in a tree, such as an encounter and its individual about the taxon, where both are
 * at the same one, or one at an ancestor of the other's. Each of the two types has one of these rules.
 */
import { issue } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, type Work } from '../database/work';
import type { Body } from '../declare/objects';
import type { LookUpContext, Rule } from '../declare/behavior';

/** The tables and columns of a reference between two types that have a field of the same tree. */
interface Sides {
  readonly reference: string;
  readonly from: Sql;
  readonly to: Sql;
  readonly tree: Sql;
  readonly parent: Sql;
  /** The columns of the type that refers: the reference, and its place. */
  readonly referring: Sql;
  readonly place: Sql;
  /** The place of the other type. */
  readonly placed: Sql;
}

function sidesOf(path: string, field: string, { names }: LookUpContext): Sides {
  const { table, column, target, treeField } = names;
  const [type = '', reference = ''] = path.split('.');
  const [other, tree] = [target(type, reference), target(type, field)];
  return {
    reference,
    from: table(type),
    to: table(other),
    tree: table(tree),
    parent: column(tree, treeField(tree)),
    referring: column(type, reference),
    place: column(type, field),
    placed: column(other, field),
  };
}

/** A recursive table of a node and all above it; a cycle, which the writer prevents, would end it. */
const upwards = (name: string, { tree, parent }: Sides, which: Sql): Sql =>
  sql`${raw(name)}(id, above) as (
    select t.id, t.${parent} from ${tree} t where ${which}
    union select t.id, t.${parent} from ${tree} t join ${raw(name)} on t.id = ${raw(name)}.above)`;

/**
 * The rule of the type that refers. It keeps the other object from being changed until the transaction ends.
 *
 * @param path `<type>.<reference>`
 * @param field of both types, with a reference into the tree
 */
export const agreesAlong = (path: string, field: string): Rule => {
  const [, reference = ''] = path.split('.');
  return {
    fields: [reference, field],
    *check(after, context) {
      const { before, dialect, references } = context;
      const [other, own] = [after[reference], after[field]];
      if (typeof other !== 'string' || typeof own !== 'string') return [];
      const isSame = (name: string): boolean => before?.[name] === after[name];
      if (isSame(reference) && isSame(field)) return [];
      const question = questionOf(path, other, own);
      if (references.answer(question)) return [];
      const sides = sidesOf(path, field, context);
      const row = yield* askOne(
        sql`select o.${sides.placed} from ${sides.to} o where o.document_id = ${other}${dialect.forKeyShare}`,
      );
      const theirs = row?.[0] ?? null;
      if (theirs === null || (yield* areInLine(sides, own, theirs))) {
        references.putAnswer(question, true);
        return [];
      }
      const [at, because] = before && isSame(field) ? [reference, field] : [field, reference];
      return [issue(at, 'CONFLICT', { with: because })];
    },
    *lookAhead(objects, context) {
      const { references } = context;
      const open = pairsOf(objects, reference, field).filter(
        ([other, own]) => references.answer(questionOf(path, other, own)) === undefined,
      );
      if (open.length === 0) return;
      for (const [other = null, own = null] of yield* ask(agreeing(open, path, field, context)))
        references.putAnswer(questionOf(path, other, own), true);
    },
  };
};

/** How a transaction's cache names the question whether an object may refer to another one from this place. */
const questionOf = (path: string, other: SqlValue, own: SqlValue): string =>
  `${path} ${other} agrees with ${own}`;

/** The different pairs of what objects refer to and their place, of those that have both. */
function pairsOf(
  objects: readonly Body[],
  reference: string,
  field: string,
): readonly (readonly [other: string, own: string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const { [reference]: other, [field]: own } of objects) {
    if (!isId(other) || !isId(own)) continue;
    const pair = [other.toLowerCase(), own.toLowerCase()] as const;
    pairs.set(pair.join(' '), pair);
  }
  return [...pairs.values()];
}

const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value);

/**
 * Finds those of the pairs that agree. One that it does not find is asked for again by itself, since a place that it
 * waited for may be newer than the tree that it reads.
 */
function agreeing(
  pairs: readonly (readonly [other: string, own: string])[],
  path: string,
  field: string,
  context: LookUpContext,
): Sql {
  const { to, tree, parent, placed } = sidesOf(path, field, context);
  const { dialect } = context;
  const rows = dialect.jsonRows(sql`${JSON.stringify(pairs)}`, [
    { name: 'other', type: 'text' },
    { name: 'own', type: 'text' },
  ]);
  return sql`with recursive
    asked(other, own, mine, theirs) as materialized (
      select r.other, r.own, t.id, o.${placed} from ${rows}
      join ${to} o on o.document_id = r.other join ${tree} t on t.document_id = r.own
      order by r.other${dialect.forKeyShare}),
    lines(start, id) as (
      select * from (select mine, mine from asked union select theirs, theirs from asked) s
      union select l.start, t.${parent} from lines l join ${tree} t on t.id = l.id where t.${parent} is not null)
    select a.other, a.own from asked a where a.theirs is null
      or (a.mine, a.theirs) in (select l.start, l.id from lines l)
      or (a.theirs, a.mine) in (select l.start, l.id from lines l)`;
}

function* areInLine(sides: Sides, own: string, theirs: SqlValue): Work<boolean> {
  const found = yield* askOne(
    sql`with recursive ${upwards('mine', sides, sql`t.document_id = ${own}`)},
      ${upwards('theirs', sides, sql`t.id = ${theirs}`)}
      select 1 where exists (select 1 from mine where id = ${theirs})
        or exists (select 1 from theirs where id =
          (select t.id from ${sides.tree} t where t.document_id = ${own}))`,
  );
  return found !== undefined;
}

/**
 * The rule of the type that is referred to: it holds for all objects that refer to this one, and for those that become
 * this one, with what refers to them. It looks at each of their places once.
 *
 * @param path `<type>.<reference>`
 * @param given the field that a new object may name objects in that come to refer to it
 */
export const agreesWithAll = (path: string, field: string, given: string): Rule => ({
  fields: [field, given],
  *check(after, context) {
    const { before, dialect, merged } = context;
    const own = after[field];
    const ids = before === null ? ((after[given] ?? []) as readonly string[]) : [];
    const isSame = before !== null && before[field] === own && merged.length === 0;
    if (typeof own !== 'string' || isSame || (before === null && ids.length === 0)) return [];
    const sides = sidesOf(path, field, context);
    const listed = (all: readonly unknown[]): Sql =>
      sql`(select j.value from ${dialect.jsonItems(sql`${JSON.stringify(all)}`)})`;
    const which = sql`select i.id from ${sides.to} i where i.document_id in`;
    const referring =
      before === null
        ? sql`o.document_id in ${listed(ids)}`
        : sql`o.${sides.referring} in (${which} ${listed([before['id'], ...merged])})`;
    const places =
      merged.length === 0
        ? raw('')
        : sql` union select i.${sides.placed} from ${sides.to} i
            where i.document_id in ${listed(merged)} and i.${sides.placed} is not null`;
    // Those of an object that exists change their places only after they have locked it.
    if (before === null)
      yield* ask(
        sql`select o.id from ${sides.from} o where ${referring} order by o.id${dialect.forNoKeyUpdate}`,
      );
    const disagreeing = yield* askOne(
      sql`with recursive ${upwards('mine', sides, sql`t.document_id = ${own}`)},
        places(id) as (select distinct o.${sides.place} from ${sides.from} o
          where ${referring} and o.${sides.place} is not null${places}),
        lines(place, id) as (
          select p.id, p.id from places p where p.id not in (select id from mine)
          union select l.place, t.${sides.parent} from lines l join ${sides.tree} t on t.id = l.id
            where t.${sides.parent} is not null)
        select l.place from lines l group by l.place having max(case when l.id =
          (select t.id from ${sides.tree} t where t.document_id = ${own}) then 1 else 0 end) = 0 limit 1`,
    );
    return disagreeing === undefined ? [] : [issue(field, 'CONFLICT', { with: given })];
  },
});
