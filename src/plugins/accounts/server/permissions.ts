/**
 * Who may do what: role by action. Each type's table stands in its `resource.ts`; `docs/permissions.md`
 * shows all of them as one, and is made from them.
 */
import type { Caller, Role } from './caller';

export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * To which objects a right extends: `own` to those that the caller owns, `approved` to those too that
 * a moderator has let pass; `open` to these alone, while the site is open to readers; `reports` to
 * all, while the site takes reports without a login.
 */
export const RIGHTS = ['none', 'own', 'approved', 'open', 'reports', 'any'] as const;
export type Right = (typeof RIGHTS)[number];

export type PermissionTable = Readonly<Record<Action, Readonly<Record<Role, Right>>>>;

/** The settings of the instance that open or close it to who has no login. */
export interface Access {
  readonly readers: 'anyone' | 'users';
  readonly anonymousEncounters: boolean;
}

/** What a right asks of an object. */
export interface Subject {
  /** The owner's ID; an object without one is nobody's. */
  readonly owner: string | null;
  readonly isApproved: boolean;
}

/** What the table says to a caller: go on, log in first, or no. */
export type Verdict = 'granted' | 'login' | 'refused';

const EXTENDS: Record<Right, (isOwn: boolean, isApproved: boolean, access: Access) => boolean> = {
  none: () => false,
  own: (isOwn) => isOwn,
  approved: (isOwn, isApproved) => isOwn || isApproved,
  open: (_, isApproved, { readers }) => isApproved && readers === 'anyone',
  reports: (_, __, { anonymousEncounters }) => anonymousEncounters,
  any: () => true,
};

/**
 * Whether a caller may do something with an object.
 *
 * @param subject undefined while the object is not known yet, which grants what some object might grant
 */
export function judge(
  table: PermissionTable,
  action: Action,
  caller: Caller,
  access: Access,
  subject?: Subject,
): Verdict {
  const isOwn = subject === undefined || owns(caller, subject.owner);
  const isApproved = subject === undefined || subject.isApproved;
  if (EXTENDS[table[action][caller.role]](isOwn, isApproved, access)) return 'granted';
  return caller.role === 'anonymous' ? 'login' : 'refused';
}

/** Whether the caller is the owner; an object without an owner is nobody's. */
export const owns = (caller: Caller, owner: string | null | undefined): boolean =>
  caller.id !== null && caller.id === owner;

/** The actions on an object that exists that this caller may carry out. */
export const granted = (
  table: PermissionTable,
  caller: Caller,
  access: Access,
  subject: Subject,
): Action[] =>
  ACTIONS.filter(
    (action) =>
      action !== 'create' &&
      action !== 'read' &&
      judge(table, action, caller, access, subject) === 'granted',
  );
