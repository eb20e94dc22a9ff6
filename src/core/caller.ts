/**
 * Who asks. Resolved once per request (or once per import) and passed on explicitly: nothing below
 * the controllers looks it up again.
 */

/** The roles of the permission table, from the least to the most. */
export const ROLES = ['anonymous', 'user', 'moderator', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** How the history names the one who acted. */
export type ActorKind = 'user' | 'import' | 'system';

/** Who somebody is, wherever the request comes from. */
export interface Identity {
  readonly role: Role;
  /** The account's ID, null for whoever has none. */
  readonly id: string | null;
  /** The ID of the session that it asks with, null without one. */
  readonly session: string | null;
  /** What the history shows. */
  readonly actor: { readonly kind: ActorKind; readonly name: string | null };
}

export interface Caller extends Identity {
  /** The hashes of the claims that it carries: secrets of what was sent without an account. */
  readonly claims: readonly string[];
  /** The network that the request comes from, by which limits count; null for what comes over none. */
  readonly network: string | null;
  /** Waits for something that takes long: meanwhile the request holds nothing that others need. */
  readonly wait: <T>(work: Promise<T>) => Promise<T>;
}

const waitInPlace = <T>(work: Promise<T>): Promise<T> => work;

/** A caller that comes over no network: what the service does by itself, and what runs beside it. */
export const local = (identity: Identity): Caller => ({
  ...identity,
  claims: [],
  network: null,
  wait: waitInPlace,
});

/** Whoever has no session. `role` is another than `anonymous` only where the boot said so. */
export const anonymous = (role: Role = 'anonymous'): Identity => ({
  role,
  id: null,
  session: null,
  actor: { kind: 'user', name: null },
});

/** An import by the operator: it may write everything, and the history says where it came from. */
export const importer = (name: string): Caller =>
  local({
    role: 'administrator',
    id: null,
    session: null,
    actor: { kind: 'import', name },
  });

/** The service itself, which carries out what a person has proven a right to by other means than a session. */
export const onBehalfOf = (id: string, name: string | null): Caller =>
  local({
    role: 'administrator',
    id,
    session: null,
    actor: { kind: 'user', name },
  });

/** The service itself, with nobody behind it. */
export const service: Caller = local({
  role: 'administrator',
  id: null,
  session: null,
  actor: { kind: 'system', name: null },
});
