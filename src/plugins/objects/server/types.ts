/** What the objects service offers to controllers, imports and the panel. */
import type { Caller } from '../../../core/caller';
import type { ApiError } from '../../../core/errors';
import type { Work } from './database/work';

/** A body as it came in: its fields by their wire names, not yet checked. */
export type Body = Readonly<Record<string, unknown>>;

/** One change of one object, as a single call would ask for it. */
export type Change = CreateChange | UpdateChange | DeleteChange;

interface OfType {
  readonly type: string;
  /** What the type's preparation has found out about the change, for the type's own rules. */
  readonly findings?: Body;
  /**
   * Values that the service itself sets, in the form in which they are kept: what is derived, and what takes the place of
   * a secret. Never what a caller has sent.
   */
  readonly set?: Body;
}

interface OfObject extends OfType {
  readonly id: string;
  readonly ifMatch?: IfMatch;
}

export interface CreateChange extends OfType {
  readonly op: 'create';
  readonly body: Body;
  /** By which whoever has no account may come back to the object. */
  readonly claim?: Claim;
}

/** A secret that is handed out once, as it is kept. */
export interface Claim {
  /** SHA-256, hex. */
  readonly hash: string;
  /** Milliseconds since 1970; null for as long as its relation lasts. */
  readonly endsAt: number | null;
}

export interface UpdateChange extends OfObject {
  readonly op: 'update';
  readonly body: Body;
}

export interface DeleteChange extends OfObject {
  readonly op: 'delete';
}

/** The versions that an `If-Match` allows; `*` is any. */
export type IfMatch = '*' | readonly number[];

/** What a change came to. `version` is that after the change (the last one, of what was deleted). */
export interface Written {
  readonly id: string;
  readonly version: number;
}

export type Outcome =
  | { readonly ok: true; readonly written: Written }
  | { readonly ok: false; readonly error: ApiError };

export interface ReadOptions {
  /** Reference fields whose targets are summarized beside the object. */
  readonly include?: readonly string[];
  /** The only fields to give. */
  readonly fields?: readonly string[];
}

/** An object as one caller may see it. */
export interface Found {
  /** The object as JSON text, ready for the wire. */
  readonly text: string;
  readonly version: number;
  /** Whether this caller may update it. */
  readonly mayUpdate: boolean;
}

/** Some of an object as it is stored, for the service itself. */
export interface Inspected {
  readonly object: Body;
  /** Whether the caller may carry out an action on it. */
  readonly may: (action: string) => boolean;
}

/** What was found: IDs in their order. */
export interface Matches {
  readonly ids: readonly string[];
  /** All that match, 10,000 at most. */
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly limit: number;
  /** Where the next page begins, null where there is none. */
  readonly next: string | null;
}

/** Told of each object that was made, changed or deleted, when that is there to stay. */
export type Listener = (type: string, id: string) => void;

/**
 * What is done to a change of a type before its transaction begins, where it cannot be done within: hashing, proofs. It
 * gives the change as it is to be carried out.
 *
 * @throws ApiError which refuses it
 */
export type Preparation = <C extends Change>(change: C, caller: Caller) => Promise<C>;

/** Carries out a change as a part of the transaction. @throws ApiError which ends the transaction, unless it is caught */
export type Apply = (change: Change) => Work<Written>;

export interface Objects {
  /** The object as this caller may see it. @throws ApiError ENTITY_NOT_FOUND */
  read(type: string, id: string, caller: Caller, options?: ReadOptions): Promise<Found>;

  /**
   * These fields of the object as it is stored, with what this caller may do with it: never to be answered as they are.
   *
   * @throws ApiError ENTITY_NOT_FOUND for one that the caller may not read
   */
  inspect(type: string, id: string, caller: Caller, fields: readonly string[]): Promise<Inspected>;

  /**
   * Carries out one change, whole or not at all, in a transaction of its own or in the one of
   * `strapi.db.transaction` that is under way.
   *
   * @throws ApiError the refusal, with all that is wrong in `invalid`
   */
  write(change: Change, caller: Caller): Promise<Written>;

  /** Refuses a change as `write` would, and carries out nothing. */
  check(change: Change, caller: Caller): Promise<void>;

  /**
   * Carries out several changes in one transaction. A change that is refused leaves no trace and
   * does not harm the others.
   *
   * @returns one outcome per change, in their order
   */
  writeAll(changes: readonly Change[], caller: Caller): Promise<Outcome[]>;

  /**
   * Runs work of a plugin's own with changes of objects in one transaction. The changes are taken as they are: no
   * preparation is asked. The work may be run again, and has no effects beside its statements.
   */
  transact<T>(caller: Caller, work: (apply: Apply) => Work<T>): Promise<T>;

  /** The IDs of the objects whose fields have these values. @throws ApiError MALFORMED */
  find(type: string, parameters: ReadonlyMap<string, string>, caller: Caller): Promise<Matches>;

  onWritten(listener: Listener): void;

  /** Has all changes of a type prepared. */
  prepare(type: string, preparation: Preparation): void;

  /**
   * The ID of the object that has these values in the fields of one of the type's unique rules
   * (`{ scientific_name, rank }` of a taxonomy, `{ source, external_id }` of an encounter).
   *
   * @returns null when there is none
   */
  findUnique(type: string, values: Body): Promise<string | null>;
}
