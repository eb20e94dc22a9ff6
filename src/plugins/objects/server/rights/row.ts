/**
 * One row of a table of rights: to which objects a right extends, by the role of the caller. A clause is `all`, or the
 * name of a relation that the caller has to have to the object; behind `if` stands a switch of the site.
 *
 * @example { anonymous: 'approved if open', user: ['approved', 'own'] }
 */
import { ROLES, type Role } from '../../../../core/caller';
import type { ErrorKey } from '../../../../core/errors';
import { isSwitch, SWITCHES, switchSets, type SwitchName } from './switches';

type Clauses = string | readonly string[];

/**
 * As it is declared. A list alone is for whoever is no moderator. Moderators and administrators may do all, unless
 * the row says otherwise; everybody else nothing.
 */
export type RowDeclaration = readonly string[] | Readonly<Partial<Record<Role, Clauses>>>;

/** A clause, taken apart. */
export interface Right {
  /** Null for every object. */
  readonly relation: string | null;
  readonly when: SwitchName | null;
}

/** A row, completed. */
export type Row = Readonly<Record<Role, readonly Right[]>>;

/** To which objects a right extends for one caller: all, or those to which it has one of these relations. */
export type Extent = 'all' | readonly string[];

const PRIVILEGED: ReadonlySet<Role> = new Set(['moderator', 'administrator']);

/**
 * Makes a row total.
 *
 * @param check is asked for each clause: throws for a relation that nobody has declared
 */
export function completeRow(declared: RowDeclaration, check: (right: Right) => void): Row {
  const byRole: Partial<Record<Role, Clauses>> = isList(declared)
    ? { anonymous: declared, user: declared }
    : declared;
  const rightsOf = (role: Role): Right[] => {
    const clauses = [byRole[role] ?? (PRIVILEGED.has(role) ? 'all' : [])].flat();
    const rights = clauses.map(parse);
    rights.forEach(check);
    return rights;
  };
  return Object.fromEntries(ROLES.map((role) => [role, rightsOf(role)])) as unknown as Row;
}

const isList = (declared: RowDeclaration): declared is readonly string[] => Array.isArray(declared);

function parse(clause: string): Right {
  const [what = '', when] = clause.split(' if ');
  const relation = what === 'all' ? null : what;
  // A name that is no switch stays what it is, for `check` to refuse.
  return { relation, when: when === undefined ? null : (when as SwitchName) };
}

/** Whether a clause names a switch that there is. */
export const hasKnownSwitch = ({ when }: Right): boolean => when === null || isSwitch(when);

/** For everybody, and for nobody. */
export const EVERYBODY: RowDeclaration = { anonymous: 'all', user: 'all' };
export const NOBODY: RowDeclaration = { moderator: [], administrator: [] };

/** Whether a row grants all to all, whatever the switches. */
export const isForEverybody = (row: Row): boolean =>
  ROLES.every((role) => row[role].some(({ relation, when }) => relation === null && when === null));

/** To which objects a row extends for a role while these switches are on. */
export function extentOf(row: Row, role: Role, on: ReadonlySet<SwitchName>): Extent {
  const rights = row[role].filter(({ when }) => when === null || on.has(when));
  if (rights.some(({ relation }) => relation === null)) return 'all';
  return [...new Set(rights.map(({ relation }) => relation ?? ''))];
}

/** Whether an extent reaches an object to which the caller has these relations. */
export const reaches = (extent: Extent, relations: ReadonlySet<string>): boolean =>
  extent === 'all' || extent.some((relation) => relations.has(relation));

/** What a caller is told to whom a row grants nothing: that a switch is off, to log in, or no. */
export function refusalOf(row: Row, role: Role, on: ReadonlySet<SwitchName>): ErrorKey {
  for (const { when } of row[role]) {
    if (when === null || on.has(when)) continue;
    const definition = SWITCHES[when];
    if ('refusal' in definition) return definition.refusal;
  }
  return role === 'anonymous' ? 'LOGIN_REQUIRED' : 'NOT_PERMITTED';
}

/**
 * All that a row may tell anybody, whatever the switches.
 *
 * @param refuses whether whoever has this extent may be refused
 */
export const refusalsOf = (row: Row, refuses: (extent: Extent) => boolean): ErrorKey[] => [
  ...new Set(
    switchSets().flatMap((on) =>
      ROLES.filter((role) => refuses(extentOf(row, role, on))).map((role) =>
        refusalOf(row, role, on),
      ),
    ),
  ),
];
