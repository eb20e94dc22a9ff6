/**
 * Where the objects of a type are searched, and what a caller finds there: the values of fields in its view of each
 * object. The row of an object is `o`, that of a table made for searches `s`.
 */
import type { Dialect } from '../../database/database';
import {
  ALWAYS,
  anyOf,
  columnIn,
  join,
  literal,
  NEVER,
  raw,
  reading,
  sql,
  type Sql,
} from '../../database/sql';
import type { Field, Resource, Resources } from '../../declare/completed';
import { isCurrent } from '../../declare/references';
import type { CallerModel, Model } from '../../read/model';
import { columnsFor } from '../../read/figures';
import type { TypeAccess } from '../../rights/access';
import { isPrivileged } from '../../declare/row';
import { columnsInView, EXACT, inView, viewOf } from '../../declare/views';
import type { SiteSettings } from '../../site/settings';
import { AUDIENCE } from '../projection/keys';
import { isConstant } from '../language/filters';

/** The alias of the type's own table. */
export const OWN = 'o';

/** The value of a field in the caller's view of an object. */
export interface Term {
  /** The condition that the caller is shown the field. */
  readonly shown: Sql;
  /** The columns of the value; three of a time. */
  readonly columns: readonly Sql[];
}

export interface Source {
  readonly resource: Resource;
  readonly resources: Resources;
  readonly access: TypeAccess;
  /** What the same caller may do with another type. */
  readonly accessTo: (type: string) => TypeAccess | undefined;
  readonly dialect: Dialect;
  readonly site: SiteSettings;
  /** The table that is searched, and its alias. */
  readonly table: string;
  readonly alias: 's' | 'o';
  /** The row ID of the object, and its ID. */
  readonly rowId: Sql;
  readonly documentId: Sql;
  /** What is selected from, for a statement with these parts: the type's own table only where one of them needs it. */
  from(...parts: readonly Sql[]): Sql;
  /** The condition that the caller finds the row; the same of a row that is known to be for insiders alone. */
  readonly visible: Sql;
  readonly visibleInside: Sql;
  /** The condition under which more than that is found: never, or as long as objects wait to be generalized anew. */
  readonly isOutdated: Sql;
  /** The condition of the rows that are looked among (`partitions.ts`): all of them, or those of one partition. */
  readonly partition: Sql;
  /** Whether that condition lists the rows: they are looked at one by one, and no index is used for other conditions. */
  readonly isOneByOne: boolean;
  term(field: Field): Term;
  /** Asked before the words of a type are read. @throws ApiError NOT_READY while they are withheld (`versions/in-place.ts`) */
  readonly expectWords?: (type: string) => void;
  /** The indexes for conditions on attributes: known where there may be such. */
  readonly indexes?: LeadingColumns;
}

/** By type and alias of a table: the first columns of its indexes. */
export type LeadingColumns = (type: string, alias: string) => ReadonlySet<string>;

/** Where objects are found, and the condition that they are. */
export interface Selection {
  readonly source: Source;
  readonly where: Sql;
}

/**
 * Where a type is searched: in its own table, which knows neither words nor sort keys, or in that which is made for searches.
 * What that keeps for strangers may be of an earlier view, as long as there are objects to be generalized anew. `checked`
 * counts each row only where it is no looser than the view as it is; `current` is for who has asked that none is
 * (`isOutdated`): the comparison costs more to plan than all else.
 */
export type SearchedIn = 'own' | 'checked' | 'current';

/** The searched type as these callers find it. */
export function makeSource(
  model: Model,
  type: string,
  compiled: CallerModel,
  where: SearchedIn,
  resource: Resource = model.type(type).resource,
): Source {
  const { access, accessTo } = compiled;
  const { table } = resource;
  const searched = where === 'own' ? null : resource.searched;
  const alias = searched ? 's' : 'o';
  const readable = access.condition(access.extent('read'), alias);
  // Most of all that there is: an index of one of its parts would be a detour.
  const found = (condition: Sql): Sql =>
    withoutIndex(allOf([condition, isCurrent(resource, alias)]));
  const isWaiting =
    searched && access.exact() !== 'all' ? (resource.views?.kept?.isWaiting ?? NEVER) : NEVER;
  const isNow = where === 'current' ? ALWAYS : isUpToDate(resource, access, isWaiting);
  const site = model.site();
  const terms = new Map<string, Term>();
  const termOf = (field: Field): Term =>
    (searched ? termInTable : termInViews)(resource, access, field, site);
  return {
    resource,
    resources: model.resources,
    access,
    accessTo,
    dialect: model.database.dialect,
    site,
    table: searched?.name ?? table,
    alias,
    rowId: columnIn(alias, 'id'),
    documentId: columnIn(alias, 'document_id'),
    from: searched ? selectedFrom(resource, raw(`${searched.name} s`)) : () => raw(`${table} o`),
    visible: found(searched ? readableIn(access, readable, isNow) : readable),
    visibleInside: found(searched ? exactlyOr(access, readable).exactly : readable),
    isOutdated: where === 'current' ? isWaiting : NEVER,
    partition: ALWAYS,
    isOneByOne: false,
    term(field) {
      // What is searched by a column of its own is no field of the type (`keyed`).
      if (resource.fields.get(field.name) !== field) return termOf(field);
      const known = terms.get(field.name) ?? termOf(field);
      terms.set(field.name, known);
      return known;
    },
  };
}

/** Whether a fragment has columns of the type's own table. */
export const needsOwnTable = ({ reads }: Sql): boolean => reads.includes(OWN);

/** From rows of the table that is made for searches, and for what needs it from the type's own table. */
export const selectedFrom =
  ({ table }: Resource, rows: Sql): Source['from'] =>
  (...parts) =>
    parts.some(needsOwnTable) ? sql`${rows} join ${raw(table)} o on o.id = s.id` : rows;

/** A condition for which the databases look into no index. */
export const withoutIndex = (condition: Sql): Sql =>
  condition === ALWAYS || condition === NEVER ? condition : sql`(${condition}) is true`;

/** The conjunction of conditions. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.includes(NEVER)) return NEVER;
  const needed = conditions.filter((condition) => condition !== ALWAYS);
  return needed.length === 0 ? ALWAYS : sql`(${join(needed, ' and ')})`;
}

/** The condition that a caller sees an object exactly and may read it, and that it may read one by other relations alone. */
function exactlyOr(access: TypeAccess, readable: Sql): { exactly: Sql; otherwise: Sql } {
  const exact = access.exact();
  if (exact === 'all') return { exactly: readable, otherwise: readable };
  const inside = access.condition(exact, 's');
  const others = access.extent('read');
  // Whoever sees an object exactly may read it: each relation is asked for once.
  return others === 'all' || !exact.every((name) => others.includes(name))
    ? { exactly: allOf([inside, readable]), otherwise: readable }
    : {
        exactly: inside,
        otherwise: access.condition(
          others.filter((name) => !exact.includes(name)),
          's',
        ),
      };
}

/** That what is kept of an object for strangers is no looser than its view as it is. */
function isUpToDate({ views }: Resource, access: TypeAccess, isWaiting: Sql): Sql {
  if (isWaiting === NEVER) return ALWAYS;
  const levels = [...(views?.names ?? [])].map(
    (name, at) => sql`when ${literal(name)} then ${raw(String(at + 1))}`,
  );
  const view = access.strangersView('s') ?? literal(EXACT);
  return sql`(not ${isWaiting} or case ${view} ${join(levels, ' ')} else 0 end <= s.level)`;
}

/** Of a table with a row for each audience: that the caller may read the object, and that the row is for it. */
function readableIn(access: TypeAccess, readable: Sql, isNow: Sql): Sql {
  const isFor = (...audiences: readonly number[]): Sql =>
    raw(`s.audience in (${audiences.join(', ')})`);
  const { everybody, strangers, insiders } = AUDIENCE;
  if (access.exact() === 'all') return allOf([readable, isFor(everybody, insiders)]);
  const { exactly, otherwise } = exactlyOr(access, readable);
  if (exactly === NEVER) return allOf([readable, isFor(everybody, strangers), isNow]);
  return anyOf([
    allOf([isFor(everybody), otherwise, isNow]),
    sql`case when ${exactly} then ${isFor(everybody, insiders)}
      else ${allOf([isFor(strangers), otherwise, isNow])} end`,
  ]);
}

/** A field of a table with a row for each audience: its values are those that the audience sees. */
function termInTable(
  { searched, views }: Resource,
  access: TypeAccess,
  field: Field,
  site: SiteSettings,
): Term {
  const names = access.exact() === 'all' ? [] : [...(views?.names ?? [])];
  const isKept = searched?.fields.includes(field.name) === true || field.name === 'id';
  const isShown = (name: string): boolean => {
    // Such a list says itself what of it is told.
    if (field.told) return true;
    const as = viewOf(field, name, site);
    return as !== 'hidden' && (as === 'shown' || isKept || isConstant(field));
  };
  const hidden = names.flatMap((name, at) => (isShown(name) ? [] : [raw(String(at + 1))]));
  const levels = names.map(
    (name, at) => sql`when ${raw(String(at + 1))} then ${constantOf(field, name, site)}`,
  );
  const constant = levels.length === 0 ? raw('null') : sql`case s.level ${join(levels, ' ')} end`;
  return {
    shown: allOf([
      access.condition(access.seen(field), 's'),
      hidden.length === 0 ? ALWAYS : sql`s.level not in (${join(hidden)})`,
    ]),
    columns: isConstant(field)
      ? [constant]
      : field.computed
        ? [reading(OWN, field.computed(OWN, site))]
        : field.columns.map((name) => columnIn(isKept ? 's' : OWN, name)),
  };
}

/** What a field is in a view, where that depends on the view alone. */
function constantOf(field: Field, view: string, site: SiteSettings): Sql {
  const value = isConstant(field) ? inView(field, view, {}, site) : null;
  return typeof value === 'string' ? literal(value) : raw('null');
}

/** A field of the type's own table: its column in each view. */
function termInViews(
  { views }: Resource,
  access: TypeAccess,
  field: Field,
  site: SiteSettings,
): Term {
  const { figure, computed } = field;
  const seen = access.condition(access.seen(field), 'o');
  const stored = columnsFor(field, access.role);
  const told = figure && !isPrivileged(access.role) ? sql`not ${figure.isWithheld}` : ALWAYS;
  const columns = computed ? [computed('o', site)] : stored.map((name) => columnIn('o', name));
  const view = access.view('o');
  const names = [EXACT, ...(views?.names ?? [])];
  // What is no column counts as one.
  const own = { ...field, columns: stored.length > 0 ? stored : [field.name] };
  const shownIn = names.flatMap((name) => {
    const shown = columnsInView(own, name, site);
    return shown === null ? [] : [[name, shown] as const];
  });
  const isOne = shownIn.every(([, shown]) => shown.join() === own.columns.join());
  if (!view || (isOne && shownIn.length === names.length))
    return { shown: allOf([seen, told]), columns };
  const cases = (at: number): Sql[] =>
    shownIn.map(([name, shown]) => sql`when ${literal(name)} then ${raw(`o.${shown[at]}`)}`);
  return {
    shown: allOf([
      seen,
      told,
      isShownIn(
        view,
        shownIn.map(([name]) => name),
      ),
    ]),
    columns: isOne
      ? columns
      : own.columns.map((_, at) => sql`case ${view} ${join(cases(at), ' ')} end`),
  };
}

const isShownIn = (view: Sql, names: readonly string[]): Sql =>
  sql`${view} in (${join(names.map(literal))})`;
