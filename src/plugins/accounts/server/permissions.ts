/**
 * Who may do what: role by action. Each type's table stands in its `resource.ts`; `docs/permissions.md`
 * shows all of them as one, and is made from them.
 */
import type { Caller, Role } from './caller';

export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** To no object, to those that the caller owns, to all. */
export type Right = 'none' | 'own' | 'any';

export type PermissionTable = Readonly<Record<Action, Readonly<Record<Role, Right>>>>;

/** What the table says to a caller: go on, log in first, or no. */
export type Verdict = 'granted' | 'login' | 'refused';

/**
 * Whether a caller may do something with an object.
 *
 * @param owner the owner's ID; undefined while the object is not known yet, which grants what some
 *   object might grant
 */
export function judge(
  table: PermissionTable,
  action: Action,
  caller: Caller,
  owner?: string | null,
): Verdict {
  const right = table[action][caller.role];
  if (right === 'any') return 'granted';
  if (right === 'own' && (owner === undefined || owns(caller, owner))) return 'granted';
  return caller.role === 'anonymous' ? 'login' : 'refused';
}

/** Whether the caller is the owner; an object without an owner is nobody's. */
export const owns = (caller: Caller, owner: string | null | undefined): boolean =>
  caller.id !== null && caller.id === owner;

/** The actions on an object that exists that this caller may carry out. */
export const granted = (table: PermissionTable, caller: Caller, owner: string | null): Action[] =>
  ACTIONS.filter(
    (action) =>
      action !== 'create' && action !== 'read' && judge(table, action, caller, owner) === 'granted',
  );
