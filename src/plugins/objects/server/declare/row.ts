/**
 * One row of a table of rights: the objects to which a right extends, by role of the caller. A clause is `all`, or the
 * name of a relation of the caller to the object, optionally followed by `if` and a switch of the site.
 *
 * @example { anonymous: 'approved if open', user: ['approved', 'own'] }
 */
import { ROLES, type Role } from '../../../../core/caller';
import type { ErrorKey } from '../../../../core/errors';
import { isSwitch, SWITCHES, switchSets, type SwitchName } from '../site/switches';

type Clauses = string | readonly string[];

/**
 * A row as it is declared. A list without roles applies to everybody below moderators. By default moderators and
 * administrators have the right to all objects, everybody else to none.
 */
export type RowDeclaration = readonly string[] | Readonly<Partial<Record<Role, Clauses>>>;

/** A parsed clause. */
export interface Right {
  /** Null for `all`. */
  readonly relation: string | null;
  readonly when: SwitchName | null;
}

/** A completed row. */
export type RightsRow = Readonly<Record<Role, readonly Right[]>>;

/** The objects to which a right extends for one caller: all, or those to which it has one of these relations. */
export type Extent = 'all' | readonly string[];

const PRIVILEGED: ReadonlySet<Role> = new Set(['moderator', 'administrator']);

export const isPrivileged = (role: Role): boolean => PRIVILEGED.has(role);

/**
 * Completes a row.
 *
 * @param check throws for a clause with a relation that is not declared
 */
export function completeRow(declared: RowDeclaration, check: (right: Right) => void): RightsRow {
  const byRole: Partial<Record<Role, Clauses>> = isList(declared)
    ? { anonymous: declared, user: declared }
    : declared;
  const rightsOf = (role: Role): Right[] => {
    const clauses = [byRole[role] ?? (PRIVILEGED.has(role) ? 'all' : [])].flat();
    const rights = clauses.map(parse);
    rights.forEach(check);
    return rights;
  };
  return Object.fromEntries(ROLES.map((role) => [role, rightsOf(role)])) as unknown as RightsRow;
}

const isList = (declared: RowDeclaration): declared is readonly string[] => Array.isArray(declared);

function parse(clause: string): Right {
  const [what = '', when] = clause.split(' if ');
  const relation = what === 'all' ? null : what;
  // An unknown switch is kept for `check` to refuse.
  return { relation, when: when === undefined ? null : (when as SwitchName) };
}

/** Whether a clause names an existing switch. */
export const hasKnownSwitch = ({ when }: Right): boolean => when === null || isSwitch(when);

/** Rows that grant everything to everybody, and nothing to anybody. */
export const EVERYBODY: RowDeclaration = { anonymous: 'all', user: 'all' };
export const NOBODY: RowDeclaration = { moderator: [], administrator: [] };

/** Whether a row grants everything to everybody, for any setting of the switches. */
export const isForEverybody = (row: RightsRow): boolean =>
  ROLES.every((role) => row[role].some(({ relation, when }) => relation === null && when === null));

/** The objects to which a row extends for a role while these switches are on. */
export function extentOf(row: RightsRow, role: Role, on: ReadonlySet<SwitchName>): Extent {
  const rights = row[role].filter(({ when }) => when === null || on.has(when));
  if (rights.some(({ relation }) => relation === null)) return 'all';
  return [...new Set(rights.map(({ relation }) => relation ?? ''))];
}

/** Whether an extent reaches an object to which the caller has these relations. */
export const reaches = (extent: Extent, relations: ReadonlySet<string>): boolean =>
  extent === 'all' || extent.some((relation) => relations.has(relation));

/**
 * The key that refuses a caller to whom a row grants nothing: a switch is off, a login is needed, or the caller has no
 * permission.
 */
export function refusalOf(row: RightsRow, role: Role, on: ReadonlySet<SwitchName>): ErrorKey {
  for (const { when } of row[role]) {
    if (when === null || on.has(when)) continue;
    const definition = SWITCHES[when];
    if ('refusal' in definition) return definition.refusal;
  }
  return role === 'anonymous' ? 'LOGIN_REQUIRED' : 'NOT_PERMITTED';
}

/**
 * All keys with which a row can refuse any caller, for any setting of the switches.
 *
 * @param refuses whether a caller with this extent can be refused
 */
export const refusalsOf = (row: RightsRow, refuses: (extent: Extent) => boolean): ErrorKey[] => [
  ...new Set(
    switchSets().flatMap((on) =>
      ROLES.filter((role) => refuses(extentOf(row, role, on))).map((role) =>
        refusalOf(row, role, on),
      ),
    ),
  ),
];
