/**
 * The caller: who sends a request. Resolved once per request (or per import) and passed on explicitly; nothing below
 * the controllers looks it up again.
 */

/** The roles of the permission table, in ascending order of rights. */
export const ROLES = ['anonymous', 'user', 'moderator', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** The kind of an actor in the history. */
export type ActorKind = 'user' | 'import' | 'system';

/** The identity of a caller, independent of where the request comes from. */
export interface Identity {
  readonly role: Role;
  /** The account's ID, null without an account. */
  readonly id: string | null;
  /** The ID of its row. */
  readonly rowId: number | null;
  /** The ID of the session, null without one. */
  readonly session: string | null;
  /** What the history shows. */
  readonly actor: { readonly kind: ActorKind; readonly name: string | null };
}

export interface Caller extends Identity {
  /** The hashes of the claims in the request: secrets of objects that were created without an account. */
  readonly claims: readonly string[];
  /** The network that the request comes from, by which limits are counted; null inside the process. */
  readonly network: string | null;
  /** Waits for slow work and meanwhile frees the request's place and room for others. */
  readonly wait: <T>(work: Promise<T>) => Promise<T>;
  /** A signal that is aborted when the client has closed the connection. */
  readonly untilGone: () => AbortSignal;
}

/** By what the work for a caller is bounded, and whose turn it is: its account, or else its network. */
export const originOf = ({ id, network }: Pick<Caller, 'id' | 'network'>): string =>
  id ?? network ?? '';

const waitInPlace = <T>(work: Promise<T>): Promise<T> => work;
const never = (): AbortSignal => new AbortController().signal;

/** A caller inside the process: the service itself, or a script. */
export const local = (identity: Identity): Caller => ({
  ...identity,
  claims: [],
  network: null,
  wait: waitInPlace,
  untilGone: never,
});

/** A caller without a session. `role` is not `anonymous` only where the boot options say so. */
export const anonymous = (role: Role = 'anonymous'): Identity => ({
  role,
  id: null,
  rowId: null,
  session: null,
  actor: { kind: 'user', name: null },
});

/** An import by the operator: it may write every field, and the history names the import. */
export const importer = (name: string): Caller =>
  local({
    role: 'administrator',
    id: null,
    rowId: null,
    session: null,
    actor: { kind: 'import', name },
  });

/** The service on behalf of a person who has proven a right without a session, such as by the token of a mail. */
export const onBehalfOf = (
  { id, rowId }: Pick<Identity, 'id' | 'rowId'>,
  name: string | null,
): Caller =>
  local({
    role: 'administrator',
    id,
    rowId,
    session: null,
    actor: { kind: 'user', name },
  });

/** The service itself, on behalf of nobody. */
export const service: Caller = local({
  role: 'administrator',
  id: null,
  rowId: null,
  session: null,
  actor: { kind: 'system', name: null },
});
