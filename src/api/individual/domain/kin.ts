/** Kin that no animal can have: two mothers or fathers, a parent of the other sex, descent from itself. */
import { isDeepStrictEqual } from 'node:util';
import { issue, type Issue } from '../../../core/errors';
import { parseTime } from '../../../core/time';
import { raw, sql, type Sql } from '../../../plugins/objects/server/database/sql';
import { ask, type Work } from '../../../plugins/objects/server/database/work';
import type { Rule, RuleContext } from '../../../plugins/objects/server/declare/behavior';
import type { Relationship } from '../../../plugins/objects/server/kinds/relationships';
import { EDGES, KIN, parentOf, PARENTS, relationshipsOf } from './relationships';

type Context = Pick<RuleContext, 'dialect' | 'names'>;

/** An individual with the relationships that it is going to have. */
export interface Kindred {
  /** The IDs of the individuals that become this one; none of a new one. */
  readonly ids: readonly string[];
  readonly sex: unknown;
  readonly list: readonly Relationship[];
  /** Those of the list that are new, and those that it loses. */
  readonly fresh: readonly Relationship[];
  readonly gone: readonly Relationship[];
}

/** A relationship that cannot be, and what it does not go together with. */
export interface Impossible {
  readonly one: Relationship;
  readonly with: string;
}

const TABLE = raw(EDGES.table);
const PARENT = raw(`('mother', 'father')`);
const INDIVIDUALS = raw('individuals');

const isParent = ({ type }: Relationship): boolean => type in EDGES.inverses;

const idsOf = (list: readonly Relationship[]): string[] => list.map(({ individual }) => individual);

/** The new relationships by which an individual would have impossible kin. */
export function* impossibleKin(self: Kindred, context: Context): Work<readonly Impossible[]> {
  const kin = self.fresh.filter(({ type }) => KIN.has(type));
  if (kin.length === 0) return [];
  // One transaction at a time changes who descends from whom.
  const lock = context.dialect.lock('trees');
  if (lock !== null) yield* ask(lock);
  return [
    ...secondParents(self),
    ...(yield* ofOtherSex(kin, context)),
    ...(yield* withOtherParents(self, kin, context)),
    ...(yield* circles(self, kin, context)),
  ];
}

/** A second mother, or a second father. */
function secondParents({ list, fresh }: Kindred): Impossible[] {
  return fresh.flatMap((one) => {
    const isOther = (other: Relationship): boolean =>
      other.type === one.type && other.individual !== one.individual;
    const at = isParent(one) ? list.findIndex(isOther) : -1;
    const own = list.findIndex((other) => isDeepStrictEqual(other, one));
    const isNew = fresh.some((other) => isDeepStrictEqual(other, list[at]));
    // Of two that are new, the second one is told.
    return at === -1 || (isNew && at > own) ? [] : [{ one, with: `relationships.${at}.type` }];
  });
}

const listed = (ids: readonly string[], { dialect }: Context): Sql =>
  sql`(select j.value from ${dialect.jsonItems(sql`${JSON.stringify(ids)}`)})`;

/** Mothers that are male, and fathers that are female. */
function* ofOtherSex(kin: readonly Relationship[], context: Context): Work<Impossible[]> {
  const parents = kin.filter(isParent);
  if (parents.length === 0) return [];
  const rows = yield* ask(
    sql`select o.document_id, o.sex from ${INDIVIDUALS} o
      where o.document_id in ${listed(idsOf(parents), context)}`,
  );
  const sexes = new Map(rows.map(([id, sex]) => [String(id), String(sex)]));
  return parents.flatMap((one) => {
    const parent = PARENTS[sexes.get(one.individual) ?? ''];
    return parent === undefined || parent === one.type ? [] : [{ one, with: 'sex' }];
  });
}

/** Offspring that has another mother or father already. */
function* withOtherParents(
  { ids, sex }: Kindred,
  kin: readonly Relationship[],
  context: Context,
): Work<Impossible[]> {
  const offspring = kin.filter((one) => !isParent(one));
  if (offspring.length === 0) return [];
  const own = sql`(select i.id from ${INDIVIDUALS} i where i.document_id in ${listed(ids, context)})`;
  const type = parentOf({ sex });
  const asNow = sql`select e.type from ${TABLE} e where e.source = o.id and e.target in ${own}`;
  const rows = yield* ask(
    sql`select o.document_id from ${INDIVIDUALS} o
      where o.document_id in ${listed(idsOf(offspring), context)}
      and exists (select 1 from ${TABLE} r where r.source = o.id and r.target not in ${own}
        and r.type in ${PARENT} and r.type in (${type === null ? asNow : sql`${type}`}))`,
  );
  const taken = new Set(rows.map(([id]) => String(id)));
  return offspring.flatMap((one) =>
    taken.has(one.individual) ? [{ one, with: 'offspring' }] : [],
  );
}

/** Parents that descend from the individual, and offspring from which it descends. */
function* circles(
  { ids, list, gone }: Kindred,
  kin: readonly Relationship[],
  context: Context,
): Work<Impossible[]> {
  const rowsOf = (some: readonly string[]): Sql =>
    sql`(select i.id from ${INDIVIDUALS} i where i.document_id in ${listed(some, context)})`;
  const parents = list.filter(isParent);
  const offspring = list.filter(({ type }) => type === 'offspring');
  if (parents.length === 0) return [];
  const own = rowsOf(ids);
  // Not all that is not in the list: another transaction may have added what was not known when this one began.
  const lost = idsOf(gone.filter(({ type }) => type === 'offspring'));
  const above = (parent: string): Sql => sql`with recursive up(id) as (
      select i.id from ${INDIVIDUALS} i where i.document_id = ${parent}
      union
      select r.target from ${TABLE} r join up on r.source = up.id
      where r.type in ${PARENT} and up.id not in ${own}
      and (r.target not in ${own} or r.source not in ${rowsOf(lost)})
    ) select i.document_id from up join ${INDIVIDUALS} i on i.id = up.id`;
  const found: Impossible[] = [];
  const isFresh = (one: Relationship): boolean => kin.includes(one);
  for (const parent of parents) {
    const rows = yield* ask(above(parent.individual));
    const ancestors = new Set(rows.map(([id]) => String(id)));
    const isOwn = ids.some((id) => ancestors.has(id));
    const below = offspring.filter(({ individual }) => ancestors.has(individual));
    if (isFresh(parent) && (isOwn || below.length > 0))
      found.push({ one: parent, with: 'offspring' });
    else found.push(...below.filter(isFresh).map((one) => ({ one, with: parent.type })));
  }
  return found;
}

/** The faults of the kin that a change adds, and of a sex that a mother or father cannot have. */
export const kinAgrees: Rule = {
  fields: ['relationships', 'sex'],
  *check(individual, context) {
    const { before, merged } = context;
    const [was, list] = [relationshipsOf(before), relationshipsOf(individual)];
    const beyond = (some: readonly Relationship[], others: readonly Relationship[]) =>
      some.filter((one) => !others.some((other) => isDeepStrictEqual(other, one)));
    const self: Kindred = {
      ids: before === null ? [] : [String(before['id'])],
      sex: individual['sex'],
      list,
      fresh: beyond(list, was),
      gone: beyond(was, list),
    };
    const impossible = yield* impossibleKin(self, context);
    const issues = impossible.map(({ one, with: other }): Issue =>
      issue(`relationships.${list.indexOf(one)}.type`, 'CONFLICT', { with: other }),
    );
    // A merge makes a parent of the sex that the individual then has.
    const isFixed = merged.length === 0 && before !== null && before['sex'] !== individual['sex'];
    return [...issues, ...(isFixed ? yield* parentsOfOtherSex(self, context) : [])];
  },
};

/** Whether an individual is a mother and has become male, or a father and female. */
function* parentsOfOtherSex({ ids, sex, list }: Kindred, context: Context): Work<Issue[]> {
  const type = parentOf({ sex });
  const offspring = list.filter((one) => one.type === 'offspring');
  if (type === null || offspring.length === 0) return [];
  const rows = yield* ask(
    sql`select 1 from ${TABLE} r join ${INDIVIDUALS} c on c.id = r.source
      join ${INDIVIDUALS} o on o.id = r.target
      where o.document_id in ${listed(ids, context)} and r.type in ${PARENT} and r.type <> ${type}
      and c.document_id in ${listed(idsOf(offspring), context)} limit 1`,
  );
  return rows.length > 0 ? [issue('sex', 'CONFLICT', { with: 'relationships' })] : [];
}

/** Nobody dies before being born. What is stored already may stay. */
export const diesAfterBirth: Rule = {
  fields: ['time_of_birth', 'time_of_death'],
  *check(individual, { before }) {
    const names = ['time_of_birth', 'time_of_death'] as const;
    if (before !== null && names.every((name) => before[name] === individual[name])) return [];
    const [birth, death] = names.map((name) => {
      const time = individual[name];
      return typeof time === 'string' ? parseTime(time) : null;
    });
    if (!birth || !death || death.end >= birth.start) return [];
    return [issue('time_of_death', 'CONFLICT', { with: 'time_of_birth' })];
  },
};
