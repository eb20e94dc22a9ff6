/** What the objects service offers to controllers, imports and the panel. */
import type { Caller } from '../../../core/caller';
import type { ApiError, Issue } from '../../../core/errors';
import type { Notice } from '../../../core/notices';
import type { Soon } from '../../../core/soon';
import type { Work } from './database/work';
import type { ListPage, ListQuery } from './lists/list-filter';

/** An unchecked body: its fields by their wire names. */
export type Body = Readonly<Record<string, unknown>>;

/** A change of one object. */
export type Change = CreateChange | UpdateChange | DeleteChange | ActionChange;

interface OfType {
  readonly type: string;
  /** The findings of the type's preparation, for the type's own rules. */
  readonly findings?: Body;
  /**
   * Normalized values that the service itself sets: derived fields, and the replacement of a secret. Never a caller's
   * input.
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
  /** The claim by which a caller without an account has access to the object later. */
  readonly claim?: Claim;
}

/** A secret that is handed out once, as it is kept. */
export interface Claim {
  /** SHA-256, hex. */
  readonly hash: string;
  /** Milliseconds since 1970; null for as long as its relation lasts. */
  readonly endsAt: number | null;
  /** Of an object that can be adopted by it: the list of those that come with it, and are adopted, too. */
  readonly brings?: string;
}

export interface UpdateChange extends OfObject {
  readonly op: 'update';
  readonly body: Body;
}

export interface DeleteChange extends OfObject {
  readonly op: 'delete';
}

/** One of the type's own actions. */
export interface ActionChange extends OfObject {
  readonly op: 'act';
  readonly action: string;
  readonly body: Body;
}

/** The versions that `If-Match` allows; `*` for any. */
export type IfMatch = '*' | readonly number[];

/** The result of a change. `version` is that after the change, or the last one of a deleted object. */
export interface Written {
  readonly id: string;
  readonly version: number;
  /** Of an action that was only tried: what it would do. */
  readonly preview?: Body;
  /** What the user should be told of it. */
  readonly notices?: readonly Notice[];
}

export type Outcome =
  | { readonly ok: true; readonly written: Written }
  | { readonly ok: false; readonly error: ApiError };

export interface BulkOptions {
  /** All changes or none: if one is refused, none is kept. */
  readonly atomic?: boolean;
  /** Nothing is kept. */
  readonly dryRun?: boolean;
}

export interface ReadOptions {
  /** Reference fields whose targets are summarized beside the object. */
  readonly include?: readonly string[];
  /** The fields to return; all by default. */
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
  /** The number of matches, 10,000 at most unless an exact one was wanted; absent where none was. */
  readonly total?: number;
  readonly isTotalExact?: boolean;
  readonly limit: number;
  /** The cursor of the next page, null without one. */
  readonly next: string | null;
  /** The objects as JSON texts, in the same order, if they were wanted. */
  readonly objects?: readonly string[];
  /** Summaries of what they refer to, if they were wanted. */
  readonly included?: object;
}

/** An object that is suggested while somebody types, as it is answered. */
export interface Suggestion {
  readonly id: string;
  /** What the object is called, and the name in which what was typed has been found. */
  readonly text: unknown;
  readonly matched: string;
  /** What a card needs of it, without its ID and `text`; of what it refers to the display name. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What is read of all objects that a search finds. */
export interface PagesOptions {
  /** The fields that are given. */
  readonly fields: readonly string[];
  /** What else is wrong with the call, beside the parameters. */
  readonly invalid: readonly Issue[];
}

/** A page of the history as one caller may see it, as it is answered. */
export interface HistoryPage {
  readonly history: readonly object[];
  /** The cursor of the next page, null without one. */
  readonly next: string | null;
}

/** Called for each object that was created, changed or deleted, after the commit. */
export type Listener = (type: string, id: string) => void;

/**
 * Prepares a change of a type before its transaction begins, for work that cannot be done in a transaction: hashing,
 * proofs. It gives the change to carry out.
 *
 * @throws ApiError which refuses it
 */
export type Preparation = <C extends Change>(change: C, caller: Caller) => Promise<C>;

/**
 * Carries out a change as a part of the transaction. @throws ApiError which rolls the transaction back, unless it is
 * caught
 */
export type Apply = (change: Change) => Work<Written>;

export interface Objects {
  /** The object as this caller may see it. @throws ApiError ENTITY_NOT_FOUND */
  read(type: string, id: string, caller: Caller, options?: ReadOptions): Soon<Found>;

  /**
   * These fields of the object as it is stored, with the caller's permissions. Never put them into an answer.
   *
   * @throws ApiError ENTITY_NOT_FOUND for an object that the caller may not read
   */
  inspect(type: string, id: string, caller: Caller, fields: readonly string[]): Promise<Inspected>;

  /**
   * Carries out one change, whole or not at all, in a transaction of its own or in the one of
   * `strapi.db.transaction` that is under way.
   *
   * @throws ApiError the refusal, with all issues in `invalid`
   */
  write(change: Change, caller: Caller): Promise<Written>;

  /** Checks a change as `write` would, without carrying it out. */
  check(change: Change, caller: Caller): Promise<void>;

  /**
   * Carries out several changes in one transaction, in their order: each finds what those before it have left. A refused
   * change has no effect itself.
   *
   * @param changes those that are refused already as their refusals
   * @returns one outcome per change, in their order, also where nothing is kept
   */
  writeAll(
    changes: readonly (Change | ApiError)[],
    caller: Caller,
    options?: BulkOptions,
  ): Promise<Outcome[]>;

  /**
   * Runs a plugin's own statements and changes of objects in one transaction. The changes are not prepared. The work
   * may be retried, so it must have no effects other than its statements.
   */
  transact<T>(caller: Caller, work: (apply: Apply) => Work<T>): Promise<T>;

  /** The objects that meet these parameters, as far as this caller may see them. @throws ApiError MALFORMED */
  find(type: string, parameters: ReadonlyMap<string, string>, caller: Caller): Promise<Matches>;

  /**
   * The objects that these parameters suggest while somebody types, as far as this caller may see them, the best first.
   * @param language a BCP 47 tag
   * @throws ApiError MALFORMED
   */
  suggest(
    type: string,
    parameters: ReadonlyMap<string, string>,
    language: string,
    caller: Caller,
  ): Promise<readonly Suggestion[]>;

  /**
   * A page of a list by attributes, for callers who see all objects of the type exactly.
   *
   * @returns null if there are too many to be sorted so
   * @throws UnknownFilter for an attribute that lists know nothing of
   */
  list(type: string, query: ListQuery, caller: Caller): Promise<ListPage | null>;

  /**
   * All objects that meet these parameters of a search, page by page, as a read gives them but for `permissions`. What is
   * wrong is told with the first page.
   *
   * @throws ApiError MALFORMED
   */
  pages(
    type: string,
    parameters: ReadonlyMap<string, string>,
    caller: Caller,
    options: PagesOptions,
  ): AsyncGenerator<readonly Body[], void>;

  /**
   * These fields of objects as this caller may see them, by their IDs. Objects that it may not read are not among them.
   */
  parts(
    type: string,
    ids: readonly string[],
    caller: Caller,
    fields: readonly string[],
  ): Promise<ReadonlyMap<string, Body>>;

  /**
   * Computes all kept values from what is stored, each in a transaction of its own.
   *
   * @returns by table how many rows have changed, come or gone
   */
  rebuild(): Promise<ReadonlyMap<string, number>>;

  /**
   * The history of one object as this caller may see it, the newest entries first.
   *
   * @param parameters `limit`, `cursor`
   * @throws ApiError ENTITY_NOT_FOUND, LOGIN_REQUIRED, NOT_PERMITTED, MALFORMED
   */
  history(
    type: string,
    id: string,
    parameters: ReadonlyMap<string, string>,
    caller: Caller,
  ): Promise<HistoryPage>;

  /**
   * The history of everything, for administrators.
   *
   * @throws ApiError LOGIN_REQUIRED, NOT_PERMITTED, MALFORMED
   */
  searchHistory(parameters: ReadonlyMap<string, string>, caller: Caller): Promise<HistoryPage>;

  onWritten(listener: Listener): void;

  /** Sets the preparation of a type. */
  prepare(type: string, preparation: Preparation): void;

  /**
   * The ID of the object that has these values in the fields of one of the type's unique rules
   * (`{ scientific_name, rank }` of a taxonomy, `{ source, external_id }` of an encounter).
   *
   * @returns null when there is none
   */
  findUnique(type: string, values: Body): Promise<string | null>;

  /** The IDs of all objects that have these values, where what is unique depends on something else, too. */
  findNamesakes(type: string, values: Body): Promise<readonly string[]>;

  /** The same for many, which have values of the same fields, in their order. */
  findEach(type: string, all: readonly Body[]): Promise<readonly (string | null)[]>;
}
