/** What the objects service offers to controllers, imports and the panel. */
import type { Caller } from '../../accounts/server/caller';
import type { Issue, WireError } from '../../wire/server/errors';
import type { Work } from './database/work';
import type { Matches } from './search/exact';

/** A body as it came in: its fields by their wire names, not yet checked. */
export type Body = Readonly<Record<string, unknown>>;

/** One change of one object, as a single call would ask for it. */
export type Change = CreateChange | UpdateChange | DeleteChange;

interface OfType {
  readonly type: string;
  /** Carried out before the change, in its transaction. @throws WireError which refuses it */
  readonly first?: () => Work<void>;
  /** What is wrong with the call beside its body: told with the rest. */
  readonly invalid?: readonly Issue[];
}

interface OfObject extends OfType {
  readonly id: string;
  readonly ifMatch?: IfMatch;
}

export interface CreateChange extends OfType {
  readonly op: 'create';
  readonly body: Body;
}

export interface UpdateChange extends OfObject {
  readonly op: 'update';
  readonly body: Body;
  /** Values that no body may hold, set by the service itself: what an action comes to. */
  readonly set?: (before: Body) => Body;
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
  | { readonly ok: false; readonly error: WireError };

export interface ReadOptions {
  /** Reference fields whose targets are summarized beside the object. */
  readonly include?: readonly string[];
  /** The only fields to give. */
  readonly fields?: readonly string[];
  /** What is wrong with the call: told when the object is there. */
  readonly invalid?: readonly Issue[];
}

/** An object as one caller may see it. */
export interface Found {
  /** The object as JSON text, ready for the wire. */
  readonly text: string;
  readonly version: number;
  /** Whether this caller may update it. */
  readonly mayUpdate: boolean;
}

/** Told of each object that was made, changed or deleted, when that is there to stay. */
export type Listener = (type: string, id: string) => void;

export interface Objects {
  /** The object as this caller may see it. @throws WireError ENTITY_NOT_FOUND */
  read(type: string, id: string, caller: Caller, options?: ReadOptions): Promise<Found>;

  /**
   * Carries out one change, whole or not at all, in a transaction of its own or in the one of
   * `strapi.db.transaction` that is under way.
   *
   * @throws WireError the refusal, with all that is wrong in `invalid`
   */
  write(change: Change, caller: Caller): Promise<Written>;

  /**
   * Carries out several changes in one transaction. A change that is refused leaves no trace and
   * does not harm the others.
   *
   * @returns one outcome per change, in their order
   */
  writeAll(changes: readonly Change[], caller: Caller): Promise<Outcome[]>;

  /** The IDs of the objects whose fields have these values. @throws WireError MALFORMED */
  find(type: string, parameters: ReadonlyMap<string, string>, caller: Caller): Promise<Matches>;

  onWritten(listener: Listener): void;

  /**
   * The ID of the object that has these values in the fields of one of the type's unique rules
   * (`{ scientific_name, rank }` of a taxonomy, `{ source, external_id }` of an encounter).
   *
   * @returns null when there is none
   */
  findUnique(type: string, values: Body): Promise<string | null>;
}
